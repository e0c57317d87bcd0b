"""The runs that are disturbed: their flags, and what of them must come out the same."""

from __future__ import annotations

import pathlib

TABLES = ("metrics.csv", "clients.csv", "result.json")


def flags_of(algorithm: str, path: pathlib.Path, **settings: object) -> list[str]:
    """The flags of a run on synthetic_1_1, which continues if it was begun.

    A setting that is a tuple becomes as many flags.
    """
    pairs = (
        (name, value)
        for name, given in settings.items()
        for value in (given if isinstance(given, tuple) else (given,))
    )
    return [
        f"--algorithm={algorithm}",
        "--dataset=synthetic_1_1",
        f"--output_dir={path}",
        "--resume",
        *(f"--{name}={value}" for name, value in pairs),
    ]


def tables(path: pathlib.Path) -> dict[str, bytes]:
    """What two equal runs have in common, as bytes by name."""
    return {name: (path / name).read_bytes() for name in TABLES}


def differing(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """Which of the tables differ, as faults."""
    return [f"{name} differs" for name in expected if found[name] != expected[name]]
