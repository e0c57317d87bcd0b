"""Runs the notebooks and writes their outputs into them: `make notebooks`."""

from __future__ import annotations

import pathlib
import tempfile

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_TIMEOUT_SECONDS = 600


def run(path: pathlib.Path) -> None:
    """Runs every cell and writes the file again, without the times of the run."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        # The kernel listens on sockets in this folder, not on a port.
        sockets = {"transport": "ipc", "ip": f"{folder}/kernel"}
        NotebookClient(
            notebook,
            timeout=_TIMEOUT_SECONDS,
            record_timing=False,
            resources={"metadata": {"path": str(_ROOT)}},
            config=Config({"ConnectionFileMixin": sockets}),
        ).execute()
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for notebook_path in sorted((_ROOT / "docs" / "notebooks").glob("*.ipynb")):
        print(f"Running {notebook_path.name} ...", flush=True)
        run(notebook_path)
