"""Where data sets lie, as programs take it: `--data_dir` and `--prepared_dir`."""

from __future__ import annotations

from typing import Any

from absl import flags

_DATA_DIR = flags.DEFINE_string(
    "data_dir",
    None,
    "The folder of the data sets. Default: $TFF_WEIGHTS_DATA_DIR, or the user's cache.",
)
_PREPARED_DIR = flags.DEFINE_string(
    "prepared_dir",
    None,
    "A folder in which the data set is kept in TFF's SQLite form when it is first loaded, and "
    "from which it is read from then on, without --data_dir. Default: it is not kept.",
)


def given() -> dict[str, Any]:
    """Returns both folders by the names of the arguments that take them, None for the default."""
    return {"data_dir": _DATA_DIR.value, "prepared_dir": _PREPARED_DIR.value}
