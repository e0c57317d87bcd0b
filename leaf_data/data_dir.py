"""The folder of raw and cached data."""

from __future__ import annotations

import os
import pathlib

from leaf_data.checks import check_path

DATA_DIR_VARIABLE = "TFF_WEIGHTS_DATA_DIR"


def default_data_dir() -> pathlib.Path:
    """The folder of raw and cached data where no argument chooses one.

    Returns:
        `$TFF_WEIGHTS_DATA_DIR`; without it, `tff-weights` in the user's cache (`$XDG_CACHE_HOME`,
        or else `~/.cache`). It need not exist.
    """
    chosen = os.environ.get(DATA_DIR_VARIABLE)
    if chosen:
        return pathlib.Path(chosen).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return pathlib.Path(cache).expanduser() / "tff-weights"


def resolve_data_dir(data_dir: str | os.PathLike[str] | None) -> pathlib.Path:
    """The folder of raw and cached data.

    Args:
        data_dir: The folder, or None for the default.

    Returns:
        The folder, `~` expanded. It need not exist.

    Raises:
        ValueError: If `data_dir` is no path, or empty.
    """
    if data_dir is None:
        return default_data_dir()
    check_path("data_dir", data_dir)
    return pathlib.Path(data_dir).expanduser()
