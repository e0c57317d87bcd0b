"""Project Gutenberg's first edition of Shakespeare as a data set of `tensorflow_datasets`.

TFDS downloads the archive (and repeats a request that failed), unpacks it, caches and prepares.

No checksum of the archive is registered, because none has been published; whoever has the archive
registers it with TFDS' own

    tfds build leaf_data/shakespeare/gutenberg_builder.py --register_checksums

which writes `checksums.tsv` beside this module, and from then on TFDS refuses any other archive.
Until then TFDS writes the checksum of what it downloads into the `.INFO` file beside it, the
archive's own checksum (CRC-32) finds an incomplete download, and text without plays is refused.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from leaf_data import extras
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text

if TYPE_CHECKING:
    import tensorflow_datasets as tfds
else:
    tfds = extras.require("tensorflow_datasets")

# LEAF's address, .../files/100/old/1994-01-100.zip, is no longer served: the file has moved.
ADDRESS = "https://www.gutenberg.org/files/100/old/old/1994-01-100.zip"

_FILE_IN_ARCHIVE = "100.txt"


class GutenbergShakespeare(tfds.core.GeneratorBasedBuilder):
    """One example per role: `client_id` and `text`, see `Role`, in the order of the edition."""

    VERSION = tfds.core.Version("1.0.0")

    def _info(self) -> tfds.core.DatasetInfo:
        return tfds.core.DatasetInfo(
            builder=self,
            description="What every role of Shakespeare's plays says, as LEAF prepares it.",
            features=tfds.features.FeaturesDict(
                {"client_id": tfds.features.Text(), "text": tfds.features.Text()}
            ),
            homepage="https://www.gutenberg.org/ebooks/100",
            disable_shuffling=True,
        )

    def _split_generators(
        self, dl_manager: tfds.download.DownloadManager
    ) -> dict[str, Iterator[tuple[int, dict[str, str]]]]:
        folder = dl_manager.download_and_extract(ADDRESS)
        return {"roles": self._generate_examples(pathlib.Path(folder) / _FILE_IN_ARCHIVE)}

    def _generate_examples(self, path: pathlib.Path) -> Iterator[tuple[int, dict[str, str]]]:
        for index, role in enumerate(parse_gutenberg_text(path.read_bytes(), str(path))):
            yield index, {"client_id": role.client_id, "text": role.text}
