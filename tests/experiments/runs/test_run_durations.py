from __future__ import annotations

import dataclasses

import pytest

from experiments.runs.configuration import RunConfiguration
from experiments.runs.durations import Duration, Durations, measured_durations, read_duration
from experiments.runs.run_directory import run_directory

_TIMES = b"round,evaluation/evaluation_time_in_seconds,training_time_in_seconds\n"
_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=3, learning_rate=0.1)


def _changed(**changes):
    return dataclasses.replace(_CONFIGURATION, **changes)


def _in_steps(**changes):
    return _changed(epochs=None, steps=20, **changes)


def _duration(training, configuration=_CONFIGURATION, once=0.0, evaluation=0.0):
    return Duration(configuration, 0.0, once, training, evaluation)


def _finish(runs_dir, configuration, rows):
    directory = run_directory(runs_dir, configuration)
    directory.path.mkdir(parents=True)
    directory.configuration.write_text(configuration.to_json())
    header = "round,evaluation/evaluation_time_in_seconds,training_time_in_seconds"
    directory.timings.write_text("\n".join((header, *rows)) + "\n")
    directory.result.write_text("{}")
    return directory


def test_a_run_by_its_table_of_times(tmp_path):
    """Trainings of 5, 2, 1, 3 and 2 s: one is the median 2.5 of those from round 4 on, and 2.5 come
    once. Evaluations of 1.5, 0.5 and 0.5 s: 0.5, and 1 once."""
    rows = ["0,1.5,", "1,,5", "2,0.5,2", "3,,1", "4,0.5,3", "5,,2"]
    duration = read_duration(_finish(tmp_path, _CONFIGURATION, rows))
    assert duration == Duration(_CONFIGURATION, 15.5, once=3.5, training=2.5, evaluation=0.5)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", _TIMES + b"0,x,5", _TIMES + b"one,0,5"],
    ids=["empty", "no text", "no number", "no round"],
)
def test_a_table_of_times_that_cannot_be_read_says_nothing(tmp_path, content):
    """The sweep that asks for it goes on: such a run is made again, or its time is not known."""
    directory = _finish(tmp_path, _CONFIGURATION, ["0,1.5,", "1,0.5,5"])
    directory.timings.write_bytes(content)
    assert read_duration(directory) is None


def test_the_seconds_of_another_run_by_hand():
    """From 10 clients of 20 epochs to 5 of 10: a quarter of 2 s in each of 8 rounds; 3 evaluations,
    at first and in rounds 4 and 8; and once 4 s. 4 + 8 / 2 + 3 / 2 = 9.5."""
    other = _changed(rounds=8, clients_per_round=5, epochs=10, rounds_per_evaluation=4)
    measured = _duration(2.0, once=4.0, evaluation=0.5)
    assert measured.estimate(other) == pytest.approx(9.5)


def test_fewer_evaluated_clients_take_their_share():
    measured = _duration(0.0, _changed(clients_per_evaluation=100), evaluation=10.0)
    assert measured.estimate(_changed(clients_per_evaluation=50)) == pytest.approx(4 * 5.0)
    assert measured.estimate(_CONFIGURATION) == pytest.approx(4 * 10.0)


def test_the_nearest_count():
    """The median of those of the same data set and algorithm, 3 s a round; else of the data set;
    else of the model."""
    durations = Durations(
        [
            _duration(2.0, _in_steps()),
            _duration(4.0, _in_steps()),
            _duration(10.0, _in_steps(algorithm="fed_fa")),
            _duration(20.0, _in_steps(dataset="synthetic_iid")),
        ]
    )
    assert durations.seconds(_in_steps()) == pytest.approx(3 * 3.0)
    assert durations.seconds(_in_steps(algorithm="fed_fa")) == pytest.approx(3 * 10.0)
    assert durations.seconds(_in_steps(dataset="synthetic_iid")) == pytest.approx(3 * 20.0)
    # Neither data set nor algorithm are the same: all that has the model, of which 7 is the median.
    other = _in_steps(dataset="synthetic_0_0", algorithm="scaffold")
    assert durations.seconds(other) == pytest.approx(3 * 7.0)


def test_an_epoch_of_another_data_set_says_nothing():
    """FedAdp's clients have 600 images each and WeiAvg's 30, for the same network."""
    durations = Durations([_duration(2.0)])
    assert durations.seconds(_changed(algorithm="fed_fa")) == pytest.approx(3 * 2.0)
    assert durations.seconds(_changed(dataset="synthetic_iid")) is None


def test_what_nothing_near_was_measured_of_is_unknown():
    durations = Durations([_duration(2.0)])
    assert durations.seconds(_changed(epochs=None, steps=5)) is None
    assert durations.seconds(_changed(dataset="mnist_case_3", model="squared_svm")) is None
    assert Durations().seconds(_CONFIGURATION) is None


def test_the_first_steps_of_a_server_that_sets_them_say_nothing_of_others():
    """FedVeca's configuration has 2 steps, and its server asks for up to 50."""
    by_server = _changed(algorithm="fed_veca", epochs=None, steps=2, hyperparameters={})
    durations = Durations([_duration(2.0, by_server)])
    assert durations.seconds(by_server) is not None
    assert durations.seconds(_changed(epochs=None, steps=50)) is None


def test_a_total_counts_what_is_unknown_as_the_mean_of_the_others():
    durations = Durations([_duration(2.0)])
    unknown = _changed(epochs=None, steps=5)
    assert durations.total([_CONFIGURATION, _changed(rounds=6), unknown]) == pytest.approx(27.0)
    assert durations.total([unknown]) is None


def test_finished_runs_are_found_and_what_is_broken_is_left_out(tmp_path):
    _finish(tmp_path, _CONFIGURATION, ["0,0,", "1,0,5"])
    _finish(tmp_path, _changed(rounds=9), ["0,0,"])  # No round was timed.
    broken = _finish(tmp_path, _changed(rounds=10), ["0,0,", "1,0,7"])
    broken.configuration.write_text("{}")
    missing = _finish(tmp_path, _changed(rounds=11), ["0,0,", "1,0,7"])
    missing.timings.unlink()
    durations = measured_durations(tmp_path)
    assert durations.seconds(_CONFIGURATION) == pytest.approx(15.0)


def test_nothing_on_disk_is_nothing_measured(tmp_path):
    assert measured_durations(tmp_path / "none", tmp_path).seconds(_CONFIGURATION) is None
