from __future__ import annotations

import pytest

from experiments.benchmarks.cases import CASES, Workload
from experiments.benchmarks.measuring import Measurement, PeakMemory, RoundTimes, measure


def test_the_ratio_is_the_median_of_the_pairs():
    ours = RoundTimes("ours", first=9.0, rounds=(1.0, 2.0, 1.0), processor=1.0)
    theirs = RoundTimes("theirs", first=9.0, rounds=(8.0, 10.0, 6.0), processor=1.0)
    measurement = Measurement(ours, theirs, PeakMemory(1, 1), largest_difference=0.0)
    assert measurement.ratios == (8.0, 5.0, 6.0)
    assert measurement.ratio == 6.0  # The ratio of the medians would be 8.
    assert (ours.median, theirs.median) == (1.0, 8.0)


@pytest.mark.parametrize("name", ["logistic_regression", "fed_fa"])
def test_a_small_round(name):
    case = CASES[name]
    workload = Workload(clients=2, examples=25, epochs=2, batch_size=10)
    measurement = measure(case, workload, repeats=2)
    for times in (measurement.subject, measurement.reference):
        assert len(times.rounds) == 2
        assert all(seconds > 0 for seconds in (times.first, *times.rounds))
    assert measurement.memory.program > 50 * 2**20
    assert measurement.memory.worker > 10 * 2**20
    if case.tolerance is not None:
        assert measurement.largest_difference <= case.tolerance


def test_nothing_is_measured_in_no_rounds():
    with pytest.raises(ValueError, match="repeats must be an integer >= 1, got 0"):
        measure(next(iter(CASES.values())), Workload(1, 1, 1, 1), repeats=0)
