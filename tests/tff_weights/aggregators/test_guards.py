"""Every weighting leaves out who is not finite or not known, and counts it."""

from __future__ import annotations

import collections
import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights import (
    Verdict,
    WeightingFactory,
    accept_if_loss_falls,
    fed_adp_weighting,
    fed_cav_weighting,
    fed_fa_weighting,
    fed_nova_weighting,
    num_examples_weighting,
    q_fair_weighting,
    uniform_weighting,
    wei_avg_weighting,
)

_NUM_CLIENTS = 5
_WEIGHTINGS = {
    "num_examples": num_examples_weighting(),
    "uniform": uniform_weighting(),
    "q_fair": q_fair_weighting(),
    "fed_fa": fed_fa_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp": fed_adp_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp by the round": fed_adp_weighting(num_clients=_NUM_CLIENTS, smoothing="round"),
    "fed_adp unsmoothed": fed_adp_weighting(smoothing="none"),
    "wei_avg by entropy": wei_avg_weighting(by="entropy"),
    "wei_avg by projection": wei_avg_weighting(by="projection"),
    "wei_avg by both": wei_avg_weighting(by="projection", multiply_by_num_examples=True),
    "fed_cav": fed_cav_weighting(),
    "fed_cav of sums": fed_cav_weighting(loss_reduction="sum", clip="none"),
    "fed_cav audited": fed_cav_weighting(audit=True),
    "fed_nova": fed_nova_weighting(),
    "fed_nova with momentum": fed_nova_weighting(momentum=0.9),
    "fed_nova proximal": fed_nova_weighting(proximal_strength=0.1),
    "fed_nova accepted": accept_if_loss_falls(fed_nova_weighting()),
}
# Weights of these sum to 1 whatever the reports.
_SHARES = [name for name in _WEIGHTINGS if not name.startswith(("q_fair", "fed_nova"))]
_VALUE = tff.to_type((tff.TensorType(np.float32, [2]), np.float32))


def _fields(weighting):
    return tuple(dict.fromkeys(("client_index", *weighting.report_fields)))


@pytest.fixture(scope="module", params=_WEIGHTINGS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def weighting(name):
    return _WEIGHTINGS[name]


@pytest.fixture(scope="module")
def process(weighting):
    dtypes = {"client_index": np.int64}
    report = collections.OrderedDict(
        (field, dtypes.get(field, np.float32)) for field in _fields(weighting)
    )
    return WeightingFactory(weighting).create(_VALUE, tff.to_type(report))


def _update(*numbers):
    a, b, c = numbers
    return np.array([a, b], np.float32), np.float32(c)


_UPDATES = [_update(1, 0, 2), _update(0.5, -1, 1), _update(2, 0.3, -0.4)]


def _report(weighting, index, *, broken=None):
    """A plausible report in which every client differs, and one field may be no number."""
    report = collections.OrderedDict()
    for place, field in enumerate(_fields(weighting)):
        plausible = {
            "num_examples": 10 + index,
            "num_steps": 2 + index,
            "learning_rate": 0.1,
        }.get(field, 0.3 + 0.1 * index + 0.05 * place)
        report[field] = np.float32(math.nan if field == broken else plausible)
    report["client_index"] = np.int64(index)
    return report


def _reports(weighting, *indices):
    return [_report(weighting, index) for index in indices]


def _aggregate(output):
    """The aggregate, whether or not there is a verdict with it."""
    result = output.result
    if isinstance(result, collections.OrderedDict):
        assert result["verdict"] == Verdict.APPLY
        result = result["update"]
    return np.append(*result)


def _check_same(output, expected):
    """Aggregate, history and weights are the same."""
    np.testing.assert_allclose(_aggregate(output), _aggregate(expected), rtol=1e-5)
    tf.nest.map_structure(
        np.testing.assert_array_equal, output.state["history"], expected.state["history"]
    )
    weights, others = (
        np.sort(each.measurements["cohort"]["weights"]) for each in (output, expected)
    )
    np.testing.assert_allclose(weights, others, rtol=1e-5)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_update_that_is_not_finite_is_left_out(process, weighting, bad):
    """In a second round, where there is a history to spoil."""
    state = process.next(process.initialize(), _UPDATES, _reports(weighting, 0, 1, 2)).state
    expected = process.next(state, _UPDATES[:2], _reports(weighting, 0, 1))
    broken = _update(1, bad, 1)
    output = process.next(state, [*_UPDATES[:2], broken], _reports(weighting, 0, 1, 2))
    _check_same(output, expected)
    cohort = output.measurements["cohort"]
    assert (cohort["num_left_out"], cohort["num_participants"]) == (1, 2)
    assert sorted(cohort["reports"]["client_index"]) == [0, 1]


def test_a_report_that_is_not_finite_is_left_out(process, weighting):
    """Whichever of the fields it is."""
    state = process.initialize()
    expected = process.next(state, _UPDATES[:2], _reports(weighting, 0, 1))
    for field in _fields(weighting)[1:]:
        reports = [*_reports(weighting, 0, 1), _report(weighting, 2, broken=field)]
        output = process.next(state, _UPDATES, reports)
        _check_same(output, expected)
        assert output.measurements["cohort"]["num_left_out"] == 1


def test_if_all_are_left_out_there_is_no_result_and_history_stays(process, weighting):
    state = process.next(process.initialize(), _UPDATES[:2], _reports(weighting, 0, 1)).state
    broken = [_update(math.nan, 0, 0), _update(0, 0, math.inf)]
    output = process.next(state, broken, _reports(weighting, 0, 3))
    result = output.result["update"] if weighting.gives_verdict else output.result
    assert np.all(np.isnan(np.append(*result)))
    tf.nest.map_structure(np.testing.assert_array_equal, output.state["history"], state["history"])
    cohort = output.measurements["cohort"]
    assert (cohort["num_left_out"], cohort["num_participants"]) == (2, 0)
    assert cohort["effective_participants"] == 0
    assert cohort["weights"].shape == (0,)


def test_one_client_has_weight_one(process, weighting, name):
    """But for q-FedAvg, which does not average; two rounds, the second with a history."""
    state = process.initialize()
    for _ in range(2):
        output = process.next(state, _UPDATES[:1], _reports(weighting, 4))
        state = output.state
        (weight,) = output.measurements["cohort"]["weights"]
        if name not in ("q_fair", "fed_nova proximal"):
            assert weight == pytest.approx(1, rel=1e-5)
            np.testing.assert_allclose(_aggregate(output), np.append(*_UPDATES[0]), rtol=1e-5)
        assert 0 < weight < 2


def test_one_client_with_one_example_and_one_step(process, weighting):
    report = _report(weighting, 0)
    for field in ("num_examples", "num_steps"):
        if field in report:
            report[field] = np.float32(1)
    output = process.next(process.initialize(), _UPDATES[:1], [report])
    assert np.all(np.isfinite(_aggregate(output)))


def test_updates_of_zero_are_no_error(process, weighting):
    output = process.next(
        process.initialize(), [_update(0, 0, 0)] * 3, _reports(weighting, 0, 1, 2)
    )
    np.testing.assert_array_equal(_aggregate(output), [0, 0, 0])
    cohort = output.measurements["cohort"]
    assert cohort["num_left_out"] == 0
    assert np.all(np.isfinite(cohort["weights"]))


@pytest.mark.parametrize("index", [-1, _NUM_CLIENTS, 2**40])
def test_an_index_out_of_range(process, weighting, index):
    """Is left out where there is a history of clients, and a client like others where not."""
    state = process.initialize()
    reports = [*_reports(weighting, 0, 1), _report(weighting, 2)]
    reports[2]["client_index"] = np.int64(index)
    output = process.next(state, _UPDATES, reports)
    if weighting.num_clients is None:
        assert output.measurements["cohort"]["num_left_out"] == 0
        assert np.all(np.isfinite(_aggregate(output)))
    else:
        _check_same(output, process.next(state, _UPDATES[:2], _reports(weighting, 0, 1)))
        assert output.measurements["cohort"]["num_left_out"] == 1


def test_a_client_that_is_twice_in_a_cohort(process, weighting, name):
    """Each of its updates has a weight of its own."""
    output = process.next(process.initialize(), _UPDATES, _reports(weighting, 1, 1, 0))
    cohort = output.measurements["cohort"]
    assert sorted(cohort["reports"]["client_index"]) == [0, 1, 1]
    assert np.all(cohort["weights"] > 0)
    if name in _SHARES:
        assert cohort["weights"].sum() == pytest.approx(1, rel=1e-5)
    assert np.all(np.isfinite(_aggregate(output)))


def test_the_order_of_the_clients_does_not_matter(process, weighting):
    forwards = process.next(process.initialize(), _UPDATES, _reports(weighting, 0, 1, 2))
    backwards = process.next(
        process.initialize(), _UPDATES[::-1], _reports(weighting, 0, 1, 2)[::-1]
    )
    np.testing.assert_allclose(_aggregate(forwards), _aggregate(backwards), rtol=1e-5)


def test_weights_times_updates_are_the_aggregate(process, weighting):
    """Each weight is found at its client's index, and multiplies that client's update."""
    output = process.next(process.initialize(), _UPDATES, _reports(weighting, 2, 0, 1))
    cohort = output.measurements["cohort"]
    updates = {2: _UPDATES[0], 0: _UPDATES[1], 1: _UPDATES[2]}
    expected = sum(
        weight * np.append(*updates[index])
        for weight, index in zip(cohort["weights"], cohort["reports"]["client_index"])
    )
    np.testing.assert_allclose(_aggregate(output), expected, rtol=1e-5, atol=1e-6)
