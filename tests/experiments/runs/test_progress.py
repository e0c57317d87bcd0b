"""How far a sweep is, on a terminal and elsewhere."""

from __future__ import annotations

import sys

from experiments.runs import progress as module
from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure
from experiments.runs.plan import ArtifactRun
from experiments.runs.progress import SweepProgress, TimeEstimate
from experiments.runs.resource_use import RunSeconds
from experiments.runs.run_directory import RunDirectory
from experiments.runs.sweep import EndedRun

_RUN = configure("fed_avg", "synthetic_1_1", {"rounds": 2})
_OTHER = _RUN.with_settings(rounds=4, seeds=Seeds(1, 1, 1, 1))


def _planned(chosen_by):
    return ArtifactRun("synthetic_1_1", "other", 1, _OTHER, candidates=(_RUN,), chosen_by=chosen_by)


class _Timed(RunDirectory):
    """A run of so many seconds in all."""

    def __init__(self, path, run, seconds):
        super().__init__(path)
        self.path.mkdir(exist_ok=True)
        self.configuration.write_text(run.configuration.to_json())
        self._seconds = RunSeconds(total=seconds, once=0.0, training=0.0, evaluation=0.0)

    def read_seconds(self):
        return self._seconds


def _progress(left):
    return SweepProgress(left, estimate=TimeEstimate(), num_finished=1, workers=2)


def test_the_time_left_is_that_of_a_round_of_other_runs(tmp_path):
    """60 s a round: 4 more rounds take 240 s, however many workers have nothing to do."""
    with _progress({_RUN: "FedAvg", _OTHER: "other"}) as progress:
        assert progress.line() == "1 of 3 runs done, an unknown time left"
        files = _Timed(tmp_path, _RUN, 120.0)
        progress.ended(EndedRun(_RUN, files, {"test_average": 76.5}, seconds=121.2))
        assert progress.line() == "2 of 3 runs done, about 4 min left"
        progress.ended(EndedRun(_OTHER, files, error="E: no"))
        progress.skipped(_OTHER)  # Once is enough.
        assert progress.line() == "3 of 3 runs done"


def test_runs_that_are_chosen_twice_count_twice_until_they_are_known():
    """By the average and by the worst 20 %: two of 4, which turn out to be one of them."""
    by_average, by_worst = _planned("test_average"), _planned("test_worst")
    with _progress({_RUN: "FedAvg", by_average: "other", by_worst: "other"}) as progress:
        assert progress.line().startswith("1 of 4 ")
        progress.becomes(by_average, _OTHER)
        progress.becomes(by_worst, _OTHER)
        assert progress.line().startswith("2 of 4 ")
        progress.skipped(_OTHER)
        assert progress.line().startswith("3 of 4 ")


def test_without_a_terminal_failures_and_a_line_a_minute_are_all(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", 0.01)
    actual, planned = _OTHER.with_settings(epochs=0.5), _planned("test_average")
    with _progress({_RUN: "FedAvg", planned: "other"}) as progress:
        progress.becomes(planned, actual)
        progress.ended(EndedRun(actual, RunDirectory(tmp_path), error="E: no"))
        shown = capfd.readouterr().err
        while "runs done" not in shown:
            shown += capfd.readouterr().err
    assert "synthetic_1_1, other, seed 1" in shown and "failed: E: no" in shown
    assert "%|" not in shown


def test_on_a_terminal_every_run_has_a_line_above_a_bar(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with _progress({_RUN: "FedAvg"}) as progress:
        files = _Timed(tmp_path, _RUN, 120.0)
        progress.ended(EndedRun(_RUN, files, {"test_average": 76.54}, seconds=121.23))
    shown = capsys.readouterr().err
    assert "synthetic_1_1, FedAvg, seed 0: 76.5 %, 121.2 s\n" in shown
    assert "2/2 [" in shown


def test_the_median_of_a_round_on_the_same_data_set_counts(tmp_path):
    """1, 2 and 9 s a round: 2; with 20 s of FedProx 5.5 for FedNova; elsewhere as the others."""
    prox, nova = (_RUN.with_settings(algorithm=each) for each in ("fed_prox", "fed_nova"))
    elsewhere = configure("fed_avg", "synthetic_iid", {"rounds": 2})
    timed = [*((_RUN, seconds) for seconds in (1, 2, 9)), (prox, 20)]
    runs = [_Timed(tmp_path / str(at), run, 2.0 * each) for at, (run, each) in enumerate(timed)]
    asked = ([prox], [nova], [_OTHER], [_OTHER, elsewhere], [elsewhere])
    assert [*map(TimeEstimate(runs).total, asked)] == [40.0, 11.0, 8.0, 16.0, None]
