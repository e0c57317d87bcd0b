"""With this file pytest puts the folder on the path, with what its tests share."""

from __future__ import annotations

import pathlib
import shutil

import pytest

_ENTRY_POINTS = """[tff_weights.algorithms]
mine_installed = mine:build_mine
[tff_weights.datasets]
images_installed = mine:load_images
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder on the path of programs, with the module `mine` as pip would have installed it."""
    folder = tmp_path / "elsewhere"
    (folder / "mine-1.0.dist-info").mkdir(parents=True)
    shutil.copyfile(pathlib.Path(__file__).with_name("own_package.py"), folder / "mine.py")
    (folder / "mine-1.0.dist-info" / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (folder / "mine-1.0.dist-info" / "entry_points.txt").write_text(_ENTRY_POINTS)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder
