"""The comparison of all weightings: its texts, and the page that helps to choose."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.declaration import SCALES
from experiments.papers import catalogue
from experiments.papers.beyond import ranks, trade_off
from experiments.papers.beyond.field import facts
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.pages import artifact_section, guide_page
from experiments.reporting.results import Results
from experiments.runs.plan import artifact_runs
from experiments.runs.record import RunRecord
from experiments.runs.resource_use import RunSeconds

_PAPER = catalogue.papers()["beyond"]
_NAMES = ("beyond/fair_field", "beyond/fair_field_worst")
_BYTES = ("bytes_down_per_client", "bytes_up_per_client")


def _record(run, place):
    """Method by method the average falls by 2 points; rates alternate between two values."""
    average = 90.0 - 2 * place + 0.1 * (run.seed * (place + 1) % 5)
    resolved = run.tuned(run.candidates[0]).with_settings(learning_rate=(0.001, 0.01)[place % 2])
    names = ("average", "weighted_average", "worst_20", "best_20", "variance")
    result = {f"test_{name}": average for name in names}
    rounds = pd.DataFrame(
        {"round": [0, 100, 200], "evaluation/test_average": [10.0, 0.8 * average, average]}
    ).assign(**dict.fromkeys(_BYTES, 1000.0 * (place + 1)))
    return RunRecord(resolved, result, rounds, RunSeconds(9.0, 1.0, 2.0 + place, 1.0), None)


def _finished(name, num_datasets):
    """The first so many data sets are whole, and the next one lacks a run."""
    artifact = catalogue.artifacts()[name]
    whole = artifact.datasets[:num_datasets]
    part = artifact.datasets[num_datasets : num_datasets + 1]
    runs = [
        (run, _record(run, artifact.methods.index(run.variant)))
        if run.dataset in whole or (run.dataset in part and run.variant == "FedAvg")
        else (run, None)
        for run in artifact_runs(artifact, SCALES[-1], (1, 2, 3, 4, 5))
    ]
    return FinishedArtifact(artifact, SCALES[-1], runs)


@pytest.mark.parametrize("num_datasets", [0, 1, pytest.param(2, marks=pytest.mark.long)])
def test_the_page_says_what_is_there_and_what_is_not(num_datasets, tmp_path):
    """FedAvg leads the second of 25 methods by 2 points and the last one, alone, by 50.

    Every second method has the smallest rate. 90 % of 90.1 are 81: only FedAvg, of which 80 %
    are 72 in round 100, and the next three get there, all in round 200.
    """
    names = (*_NAMES, *(f"{name}_networks" for name in _NAMES))
    found = {name: [_finished(name, num_datasets)] for name in names}
    (guide,) = _PAPER.guides
    page = guide_page(guide, Results([_PAPER], found))
    assert {"| method |" in page, "## With a network" in page} == {num_datasets > 0}
    field = facts(found[_NAMES[0]][0])
    if field is None:
        assert page == guide_page(guide, Results([_PAPER], {}))
        return
    assert "| –" not in page
    assert field.never_beaten("average %") == ["FedAvg"]
    assert field.place("uniform", "average %") == ("88.20 %" if num_datasets == 1 else "2.00")
    assert (field.at_edge("FedAvg"), field.at_edge("uniform")) == (num_datasets, 0)
    assert (field.personal, field.least(field.methods, "kB up")) == (["Ditto"], "FedAvg")
    reached = "rounds to 90 % of the best average"
    assert [field.mean(each, reached) for each in ("FedAvg", "Ditto")] == ["200.0", "≥ 201.0"]
    wrong = tmp_path / "guide.md.jinja"
    for asked in ('"FedAvg", "none"', '"none", "average %"'):
        wrong.write_text(f'{{{{ facts("{_NAMES[0]}").mean({asked}) }}}}')
        with pytest.raises(ValueError, match="none"):
            guide_page(wrong, Results([_PAPER], found))
    section = artifact_section(found[_NAMES[0]][0], [])
    assert section.count("\n| method | average %") == num_datasets + 1  # One is there in part.
    assert "fashion_mnist, all methods: seeds 1 to 5" in section


def test_the_figures_have_every_method():
    """26 methods and a front, on which FedAvg is alone, since it leads in both numbers."""
    source = _finished(_NAMES[0], 2)
    panel, ranking = trade_off.draw(source).axes[0], ranks.draw(source).axes[0]
    assert [len(panel.lines), *(each.get_text() for each in panel.texts)] == [27, "FedAvg"]
    assert {"1.00", "26.00"} <= {each.get_text() for each in ranking.texts}
