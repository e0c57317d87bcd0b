from __future__ import annotations

import dataclasses

import pytest

from benchmarks.cases import CASES
from benchmarks.contenders import Contender
from benchmarks.measuring import Measurement, PeakMemory, RoundTimes, measure
from benchmarks.targets import Quantity
from benchmarks.workload import Workload

_SMALL = Workload(clients=2, examples=25, epochs=2, batch_size=10)


def _times(*rounds: float) -> RoundTimes:
    return RoundTimes("label", first=9.0, rounds=rounds, processor=1.0)


def test_quantities_are_of_pairs():
    measurement = Measurement(
        _times(1.0, 2.0, 1.0), _times(8.0, 10.0, 6.0), PeakMemory(1, 1), difference=0.0
    )
    assert measurement.values(Quantity.TIMES_AS_FAST) == (8.0, 5.0, 6.0)
    assert measurement.values(Quantity.TIMES_AS_LONG) == (1 / 8, 1 / 5, 1 / 6)
    assert measurement.values(Quantity.SECONDS) == (1.0, 2.0, 1.0)
    assert (measurement.subject.median, measurement.reference.median) == (1.0, 8.0)


def test_seconds_need_no_reference_and_ratios_do():
    measurement = Measurement(_times(1.0), None, PeakMemory(1, 1), difference=None)
    assert measurement.values(Quantity.SECONDS) == (1.0,)
    with pytest.raises(ValueError, match="'x as fast' needs a reference"):
        measurement.values(Quantity.TIMES_AS_FAST)


def test_a_small_round():
    measurement = measure(CASES["builders/mlr"], _SMALL, repeats=2)
    for times in (measurement.subject, measurement.reference):
        assert len(times.rounds) == 2
        assert all(seconds > 0 for seconds in (times.first, *times.rounds))
    assert measurement.memory.program > 50 * 2**20
    assert measurement.memory.worker > 10 * 2**20
    assert measurement.difference <= 1e-4


def test_by_turns_in_a_folder_that_is_gone_afterwards():
    initial = CASES["builders/mlr"].build_task(_SMALL).build_model(0).initial_weights[0]
    ours, theirs = ([weights + moved for weights in initial] for moved in (1.0, 0.8))
    turns = []
    folders = []

    def build(label, weights):
        def build_contender(setting):
            folders.append(setting.directory)
            assert setting.directory.is_dir()
            return Contender(label, lambda: turns.append(label), lambda: weights)

        return build_contender

    case = dataclasses.replace(
        CASES["builders/mlr"], subject=build("ours", ours), reference=build("theirs", theirs)
    )
    measurement = measure(case, _SMALL, repeats=2)
    assert turns == ["ours", "theirs"] * 3
    assert measurement.difference == pytest.approx(0.2)
    assert not folders[0].exists()


def test_models_may_be_checked_after_few_steps():
    steps = []

    def build_contender(setting):
        steps.append(setting.workload.client_steps)
        weights = setting.task.build_model(0).initial_weights[0]
        moved = [weight + 1.0 for weight in weights]
        return Contender("label", lambda: None, lambda: moved)

    case = dataclasses.replace(
        CASES["builders/mlr"], subject=build_contender, reference=build_contender, checked_steps=4
    )
    assert measure(case, _SMALL, repeats=1).difference == 0.0
    assert steps == [6, 6, 4, 4]
    measure(case, _SMALL.resized(steps=3), repeats=1)
    assert steps[4:] == [3, 3, 3, 3]


def test_nothing_is_measured_in_no_rounds():
    with pytest.raises(ValueError, match="repeats must be an integer >= 1, got 0"):
        measure(CASES["builders/mlr"], _SMALL, repeats=0)
