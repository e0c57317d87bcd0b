"""Tests of `benchmarks.measuring`."""

from __future__ import annotations

import dataclasses

import pytest

from benchmarks.case import Quantity
from benchmarks.contenders import Contender
from benchmarks.groups import CASES
from benchmarks.measuring import HEADER, Measurement, RoundTimes, measure
from benchmarks.workload import Workload

_SMALL = Workload(clients=2, examples=25, epochs=2, batch_size=10)
_MLR = CASES["builders/mlr"]


def _measurement(name="builders/mlr", *, theirs=(8.0, 10.0, 6.0), difference=3e-8, **case):
    times = [RoundTimes("", 9.0, rounds, 1.0) for rounds in ((1.0, 2.0, 1.0), theirs)]
    memory = {"program": 500 * 2**20, "worker": 300 * 2**20}
    reference = times[1] if theirs else None
    case = dataclasses.replace(CASES[name], **case)
    return Measurement(name, case, _SMALL, times[0], reference, memory, difference)


@pytest.mark.parametrize(
    ("quantity", "values", "median", "met", "missed"),
    [
        (Quantity.TIMES_AS_FAST, (8.0, 5.0, 6.0), 6.0, 6.0, 6.1),
        (Quantity.TIMES_AS_LONG, (1 / 8, 1 / 5, 1 / 6), 1 / 6, 0.2, 0.1),
        (Quantity.SECONDS, (1.0, 2.0, 1.0), 1.0, 1.0, 0.9),
    ],
)
def test_quantities_are_of_pairs_and_fast_is_at_least(quantity, values, median, met, missed):
    measured = _measurement(quantity=quantity, limit=met)
    assert (measured.values, measured.value) == (values, median)
    assert measured.case.is_met(measured.value) is True
    assert dataclasses.replace(measured.case, limit=missed).is_met(measured.value) is False
    assert dataclasses.replace(measured.case, limit=None).is_met(measured.value) is None
    # As much processor time as the other has, where the median round is a sixth of its.
    case = {"quantity": Quantity.TIMES_AS_LONG, "limits_processor": True}
    assert _measurement(limit=1.0, **case).is_met and not _measurement(limit=0.9, **case).is_met
    short = measured.subject._replace(processor=0.0)  # Less than a tick of its clock.
    unmeasured = dataclasses.replace(measured, subject=short, reference=short)
    assert unmeasured.processor_value is None and " – | " in unmeasured.row()


def test_a_row_has_the_columns_of_the_header_and_says_where_models_differ():
    for difference in (0.2, float("nan"), float("inf")):
        differing = _measurement(difference=difference)
        assert differing.agrees is False and " DIFFER " in differing.row()
    row = _measurement().row()
    assert " 6.00 x as fast (5.00 – 8.00) " in row and row.endswith("**not met** |")
    alone = _measurement("evaluation/mnist", theirs=(), difference=None)
    assert [line.count("|") for line in (*HEADER.splitlines(), row, alone.row())] == [10] * 4


def test_by_turns_in_a_folder_that_is_gone_afterwards():
    initial = _MLR.build_task(_SMALL).build_model(0).initial_weights[0]
    turns, folders = [], []

    def contender(label, moved):
        def build(setting):
            folders.append(setting.directory)
            assert setting.directory.is_dir()
            return Contender(label, lambda: turns.append(label), lambda: moved)

        return build

    ours, theirs = ([weights + by for weights in initial] for by in (1.0, 0.8))
    case = dataclasses.replace(
        _MLR, subject=contender("ours", ours), reference=contender("theirs", theirs)
    )
    measured = measure("", case, _SMALL, repeats=2)
    assert turns == ["ours", "theirs"] * 2 + ["theirs", "ours"]
    assert measured.difference == pytest.approx(0.2)
    assert not folders[0].exists()
