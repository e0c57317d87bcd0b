from __future__ import annotations

import dataclasses

import pytest

from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.durations import Duration, Durations
from experiments.runs.progress import SweepProgress, time_text

_RUN = RunConfiguration("fed_avg", "synthetic_1_1", rounds=2, learning_rate=0.1)
_OTHER = dataclasses.replace(_RUN, rounds=4, seeds=Seeds(1, 2, 3, 4))


def _shown(capsys):
    out, errors = capsys.readouterr()
    assert out == ""
    return errors.replace("\r", "\n")


def test_a_line_per_run_and_the_time_left_of_the_others(capsys):
    """At 60 s a round, 4 more rounds are 4 minutes, however many workers have nothing to do."""
    with SweepProgress(
        3, [_RUN, _OTHER], names={_RUN.to_json(): "FedAvg"}, durations=Durations(), workers=2
    ) as progress:
        assert "1/3" in (first := _shown(capsys)) and "time left unknown" in first
        duration = Duration(_RUN, 0.0, once=0.0, training=60.0, evaluation=0.0)
        progress.ended(
            _RUN, result={"test_average": 76.54}, error=None, seconds=121.23, duration=duration
        )
        shown = _shown(capsys)
        assert "synthetic_1_1, FedAvg, seed 0: 76.5 %, 121.2 s\n" in shown
        assert "2/3" in shown and "about 4 min left" in shown
        progress.ended(_OTHER, result=None, error="E: no", seconds=None, duration=None)
    shown = _shown(capsys)
    seeds = "seeds data 1, sampling 2, model 3, shuffling 4"
    assert f"synthetic_1_1, fed_avg, {seeds}: failed: E: no\n" in shown
    assert "3/3" in shown and "left" not in shown.splitlines()[-1]


def test_a_run_keeps_its_name_when_its_steps_change(capsys):
    planned = _RUN
    actual = dataclasses.replace(_RUN, epochs=0.5)
    with SweepProgress(
        1, [planned], names={planned.to_json(): "FedAvg"}, durations=Durations(), workers=1
    ) as progress:
        progress.becomes(planned, actual)
        progress.ended(actual, result={"test_average": 1.0}, error=None, seconds=1.0, duration=None)
        progress.skipped(actual)  # Once is enough.
    shown = _shown(capsys)
    assert "synthetic_1_1, FedAvg, seed 0: 1.0 %, 1.0 s" in shown
    assert "1/1" in shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "about 1 s"),
        (59.4, "about 59 s"),
        (90, "about 2 min"),
        (7000, "about 117 min"),
        (9000, "about 2.5 h"),
    ],
)
def test_durations_as_people_say_them(seconds, text):
    assert time_text(seconds, 1) == text


@pytest.mark.parametrize(
    ("seconds", "runs_at_once", "text"),
    [
        (10_600, 2, "88 min to 2.9 h"),
        (100, 4, "25 s to 2 min"),
        (1, 2, "about 1 s"),
    ],
)
def test_runs_at_once_take_between_their_share_of_the_time_and_all_of_it(
    seconds, runs_at_once, text
):
    assert time_text(seconds, runs_at_once) == text


def test_the_time_left_of_several_at_once_has_two_ends(capsys):
    """One run of 2 rounds and one of 4, at 60 s a round, on 2 workers: 3 to 6 minutes."""
    duration = Duration(_RUN, 0.0, once=0.0, training=60.0, evaluation=0.0)
    with SweepProgress(2, [_RUN, _OTHER], names={}, durations=Durations([duration]), workers=2):
        assert "3 min to 6 min left" in _shown(capsys)
