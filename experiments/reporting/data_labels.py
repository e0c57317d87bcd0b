"""How tables and figures name a data set: with what stood in for it."""

from __future__ import annotations

from collections.abc import Iterable

from leaf_data.sources import stand_in


def data_label(dataset: str, origins: Iterable[str | None]) -> str:
    """Returns a data set's name, and in brackets what stood in for its own raw data.

    Args:
        dataset: The name.
        origins: Where the raw data of its runs came from.
    """
    contents = dict.fromkeys(map(stand_in, origins))
    named = [content for content in contents if content is not None]
    if not named:
        return dataset
    in_part = " in part" if None in contents else ""
    return f"{dataset} (stand-in{in_part}: {', '.join(named)})"
