"""Where Shakespeare's text comes from: the first of several sources that is there."""

from __future__ import annotations

import dataclasses
import os

from leaf_data import sources
from leaf_data.checks import check_one_of
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.local_files import find_file
from leaf_data.shakespeare.gutenberg_text import read_gutenberg_text
from leaf_data.shakespeare.plays_json import read_plays_json
from leaf_data.shakespeare.roles import Role
from leaf_data.sources.tfds_cache import read_split

PLAYS_JSON = "shakespeare_plays.json"
GUTENBERG_TEXTS = ("100.txt", "shakespeare_gutenberg*.txt")
EDITIONS = ("any", "plays", "gutenberg")


@dataclasses.dataclass(frozen=True)
class Roles:
    """Speaking roles, and where they come from.

    Attributes:
        roles: The roles in a fixed order.
        origin: The source, to be recorded with results.
    """

    roles: list[Role]
    origin: str


def read_roles(
    dataset: str, *, data_dir: str | os.PathLike[str] | None = None, edition: str = "any"
) -> Roles:
    """Reads all roles from a local file, or else from Project Gutenberg's text through TFDS.

    Args:
        dataset: The data set's name, for errors.
        data_dir: The folder of raw and cached data, or None for the default.
        edition: "plays", the file `shakespeare_plays.json` (see `read_plays_json`); "gutenberg",
            LEAF's own text (see `parse_gutenberg_text`), the file `100.txt` or
            `shakespeare_gutenberg*.txt`, or else TFDS' download; or "any", the first of these that
            is there. Each file may be gzipped.

    Returns:
        The roles.

    Raises:
        ValueError: If there is no such edition.
        DataError: If a file cannot be read or is malformed, or there is none and the text cannot be
            downloaded.
    """
    check_one_of("edition", edition, EDITIONS)
    root = resolve_data_dir(data_dir)
    plays_path = find_file(root, PLAYS_JSON)
    if edition != "gutenberg" and plays_path is not None:
        return Roles(read_plays_json(plays_path), plays_path.name)
    if edition == "plays":
        raise DataError(
            f"data set {dataset!r}: there is no {root / PLAYS_JSON}, which edition=plays needs; put"
            " the file there, or name the folder that holds it with --data_dir."
        )
    text_path = find_file(root, *GUTENBERG_TEXTS)
    if text_path is not None:
        return Roles(read_gutenberg_text(text_path), text_path.name)
    from leaf_data.shakespeare import gutenberg_builder  # Deferred: it needs TFDS.

    builder = sources.prepare_tfds(
        dataset,
        gutenberg_builder.GutenbergShakespeare,
        data_dir=data_dir,
        address=gutenberg_builder.ADDRESS,
        looked_for=[*([root / PLAYS_JSON] if edition == "any" else []), root / GUTENBERG_TEXTS[0]],
    )
    examples = read_split(builder, "roles")
    roles = [
        Role(client_id.decode(), text.decode())
        for client_id, text in zip(examples["client_id"], examples["text"])
    ]
    return Roles(roles, f"tensorflow_datasets {builder.info.full_name}")
