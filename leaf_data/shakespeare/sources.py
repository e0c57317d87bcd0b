"""Where Shakespeare's text comes from: the first of several sources that is there."""

from __future__ import annotations

import dataclasses
import os

from leaf_data import raw_files, sources
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.shakespeare.gutenberg_builder import ADDRESS, GutenbergShakespeare
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text
from leaf_data.shakespeare.plays_json import read_plays_json
from leaf_data.shakespeare.roles import Role
from leaf_data.sources.tfds_cache import read_split

PLAYS_JSON = "shakespeare_plays.json.gz"
GUTENBERG_TEXT = "100.txt"


@dataclasses.dataclass(frozen=True)
class Roles:
    """Speaking roles, and where they come from.

    Attributes:
        roles: The roles in a fixed order.
        origin: The source, to be recorded with results.
    """

    roles: list[Role]
    origin: str


def read_roles(dataset: str, *, data_dir: str | os.PathLike[str] | None = None) -> Roles:
    """Reads all roles from a local file, or else from Project Gutenberg's text through TFDS.

    Args:
        dataset: The data set's name, for errors.
        data_dir: The folder of raw and cached data, or None for the default. The local files are
            `shakespeare_plays.json.gz` (see `read_plays_json`) and `100.txt` (see
            `parse_gutenberg_text`), in this order.

    Returns:
        The roles.

    Raises:
        DataError: If a file cannot be read or is malformed, or there is none and the text cannot be
            downloaded.
    """
    root = resolve_data_dir(data_dir)
    plays_path, text_path = root / PLAYS_JSON, root / GUTENBERG_TEXT
    if plays_path.is_file():
        return Roles(read_plays_json(plays_path), PLAYS_JSON)
    if text_path.is_file():
        try:
            content = raw_files.note(text_path).read_bytes()
        except OSError as error:
            raise DataError(f"{text_path}: cannot be read ({error.strerror}).") from None
        return Roles(parse_gutenberg_text(content, str(text_path)), GUTENBERG_TEXT)
    builder = sources.prepare_tfds(
        dataset,
        GutenbergShakespeare,
        data_dir=data_dir,
        address=ADDRESS,
        looked_for=[plays_path, text_path],
    )
    examples = read_split(builder, "roles")
    roles = [
        Role(client_id.decode(), text.decode())
        for client_id, text in zip(examples["client_id"], examples["text"])
    ]
    return Roles(roles, f"tensorflow_datasets {builder.info.full_name}")
