"""Small folders of LEAF's JSON; not a test module."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping
from typing import Any


def document(clients: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    """LEAF's JSON of clients, each an (x, y) of lists."""
    return {
        "users": list(clients),
        "num_samples": [len(y) for _, y in clients.values()],
        "user_data": {client: {"x": x, "y": y} for client, (x, y) in clients.items()},
    }


def write_leaf(
    folder: pathlib.Path,
    train: Mapping[str, tuple[Any, Any]],
    test: Mapping[str, tuple[Any, Any]],
    name: str = "data.json",
) -> str:
    """Writes a file for each split; returns the folder."""
    for split, clients in (("train", train), ("test", test)):
        (folder / split).mkdir(parents=True, exist_ok=True)
        (folder / split / name).write_text(json.dumps(document(clients)))
    return str(folder)
