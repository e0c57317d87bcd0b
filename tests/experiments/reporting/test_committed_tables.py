from __future__ import annotations

import pandas as pd
import pytest

from experiments.papers import catalogue
from experiments.reporting.artifact_files import CELLS_FILE, FIGURE_FILE, write_artifact
from experiments.reporting.finished import read_finished
from experiments.runs.run_folders import RunFolders
from experiments.start_up import RESULTS_DIR

_FOLDERS = {
    path.parent.relative_to(RESULTS_DIR).as_posix(): path.parent
    for path in sorted(RESULTS_DIR.glob("*/*/*/cells.csv"))
}


@pytest.mark.long
@pytest.mark.parametrize("name", _FOLDERS)
def test_a_committed_table_and_figure_is_what_the_committed_runs_give(name, tmp_path):
    """With today's metrics; the tests of the pages look at the verdicts, of all seeds."""
    folder = _FOLDERS[name]
    artifact, _, scale = name.rpartition("/")
    columns = pd.read_csv(folder / "cells.csv").filter(regex="^seed_").columns
    seeds = [int(column.removeprefix("seed_")) for column in columns]
    found = read_finished(catalogue.artifacts()[artifact], scale, seeds, RunFolders(()).find)
    write_artifact(found, tmp_path)
    for file in (CELLS_FILE, FIGURE_FILE):
        assert (folder / file).read_bytes() == (tmp_path / file).read_bytes(), file
