from __future__ import annotations

import matplotlib.image
import pytest
from small_cases import result

from benchmarks import plotting
from benchmarks.cases import CASES


def test_a_panel_for_each_dimension(tmp_path):
    one, three = tmp_path / "one.png", tmp_path / "three"
    cohort = [result(name) for name in CASES if name.startswith("cohort/")]
    others = [result(name) for name in CASES if name.startswith(("clients/", "model/"))]
    plotting.draw([*cohort, result("builders/mlr")], one)
    plotting.draw([*cohort, *others], three)
    for file, panels in ((one, 1), (three, 3)):
        assert file.read_bytes().startswith(b"\x89PNG")
        image = matplotlib.image.imread(file, format="png")
        assert image.shape[1] == pytest.approx(panels * 5.2 * 120, abs=2)
        assert image.std() > 0.01


def test_without_a_worker_its_memory_is_not_drawn(tmp_path):
    """As in the cases of `clients`, of which none runs on TFF's worker."""
    names = [name for name in CASES if name.startswith("clients/")]
    for worker, file in ((300, tmp_path / "with.png"), (0, tmp_path / "without.png")):
        plotting.draw([result(name, worker=worker) for name in names], file)
    assert (tmp_path / "with.png").read_bytes() != (tmp_path / "without.png").read_bytes()


def test_panels_are_those_that_are_measured():
    assert plotting.panels(["model/1000", "builders/mlr", "cohort/10"]) == ["cohort", "model"]


def test_nothing_to_draw_is_refused(tmp_path):
    with pytest.raises(ValueError, match="a plot needs cases of cohort, clients, model, got"):
        plotting.draw([result("builders/mlr")], tmp_path / "plot.png")
    assert list(tmp_path.iterdir()) == []
