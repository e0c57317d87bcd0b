"""Committed runs as tests change them."""

from __future__ import annotations

import zipfile

from experiments.runs.committed import ArchivedFile


def change(file: ArchivedFile, text: str | None) -> None:
    """Writes another text into an archive, whose checksums fit; None removes the file."""
    with zipfile.ZipFile(file.archive) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    texts.pop(file.name)
    if text is not None:
        texts[file.name] = text
    with zipfile.ZipFile(file.archive, "w") as archive:
        for name, content in texts.items():
            archive.writestr(name, content)
