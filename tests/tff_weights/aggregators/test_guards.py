"""Every weighting leaves out clients that are not finite or not known, and counts them."""

import collections
import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

import tff_weights as tw

_NUM_CLIENTS = 5
_WEIGHTINGS = {
    "num_examples": tw.num_examples_weighting(),
    "q_fair": tw.q_fair_weighting(),
    "fed_fa": tw.fed_fa_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp": tw.fed_adp_weighting(num_clients=_NUM_CLIENTS),
    "wei_avg by entropy": tw.wei_avg_weighting(by="entropy"),
    "wei_avg by both": tw.wei_avg_weighting(by="projection", multiply_by_num_examples=True),
    "fed_cav audited": tw.fed_cav_weighting(audit=True),
    "afl": tw.afl_weighting(num_clients=_NUM_CLIENTS),
    "aagg_ff_s": tw.aagg_ff_s_weighting(num_clients=_NUM_CLIENTS),
    "aagg_ff_d": tw.aagg_ff_d_weighting(num_clients=_NUM_CLIENTS),
    "fed_disco": tw.fed_disco_weighting(),
    "fed_mgda": tw.fed_mgda_weighting(normalize=False),
    "fed_fv": tw.fed_fv_weighting(),
    "fed_nova accepted": tw.accept_if_loss_falls(tw.fed_nova_weighting()),
}
_VALUE = tff.to_type((tff.TensorType(np.float32, [2]), np.float32))


def _update(*numbers):
    a, b, c = numbers
    return np.array([a, b], np.float32), np.float32(c)


_UPDATES = [_update(1, 0, 2), _update(0.5, -1, 1), _update(2, 0.3, -0.4)]


class _Built:
    """A weighting's process, in which every client reports something else."""

    def __init__(self, name):
        self.name, self.weighting = name, _WEIGHTINGS[name]
        self.fields = tuple(dict.fromkeys(("client_index", *self.weighting.report_names)))
        report = collections.OrderedDict((field, np.float32) for field in self.fields)
        report["client_index"] = np.int64
        self._process = tw.WeightingFactory(self.weighting).create(_VALUE, tff.to_type(report))
        self.initial_state = self._process.initialize()

    def report(self, index, *, broken=None):
        """One field may be no number."""
        report = collections.OrderedDict()
        for place, field in enumerate(self.fields):
            plausible = {
                "num_examples": 10 + index,
                "num_steps": 2 + index,
                "learning_rate": 0.1,
            }.get(field, 0.3 + 0.1 * index + 0.05 * place)
            report[field] = np.float32(math.nan if field == broken else plausible)
        report["client_index"] = np.int64(index)
        return report

    def next(self, state, updates, indices):
        """A round of clients, each given as its index or as its report."""
        reports = [each if isinstance(each, dict) else self.report(each) for each in indices]
        return self._process.next(state, updates, reports)


@pytest.fixture(scope="module", params=_WEIGHTINGS)
def built(request):
    return _Built(request.param)


def _aggregate(output):
    """The aggregate, whether or not there is a verdict with it."""
    result = output.result
    if isinstance(result, collections.OrderedDict):
        result = result["update"]
    return np.append(*result)


def _check_last_is_left_out(output, expected):
    """Aggregate, history and weights are those of the others alone."""
    np.testing.assert_allclose(_aggregate(output), _aggregate(expected), rtol=1e-5)
    tf.nest.map_structure(
        np.testing.assert_array_equal, output.state["history"], expected.state["history"]
    )
    cohort, others = (each.measurements["cohort"] for each in (output, expected))
    np.testing.assert_allclose(np.sort(cohort["weights"]), np.sort(others["weights"]), rtol=1e-5)
    assert (cohort["num_left_out"], cohort["num_participants"]) == (1, 2)
    assert sorted(cohort["reports"]["client_index"]) == [0, 1]


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_an_update_that_is_not_finite_is_left_out(built, bad):
    """In a second round, where there is a history to spoil; one entry is enough."""
    state = built.next(built.initial_state, _UPDATES, [0, 1, 2]).state
    expected = built.next(state, _UPDATES[:2], [0, 1])
    output = built.next(state, [*_UPDATES[:2], _update(1, bad, 1)], [0, 1, 2])
    _check_last_is_left_out(output, expected)


def test_a_report_that_is_not_finite_is_left_out(built):
    """Whichever of the fields it is."""
    expected = built.next(built.initial_state, _UPDATES[:2], [0, 1])
    for field in built.fields[1:]:
        reports = [0, 1, built.report(2, broken=field)]
        _check_last_is_left_out(built.next(built.initial_state, _UPDATES, reports), expected)


@pytest.mark.parametrize("index", [-1, _NUM_CLIENTS, -(2**63)])
def test_an_index_out_of_range(built, index):
    """Is left out where there is a history of clients, and a client like others where not."""
    unknown = {**built.report(2), "client_index": np.int64(index)}
    output = built.next(built.initial_state, _UPDATES, [0, 1, collections.OrderedDict(unknown)])
    if built.weighting.num_clients is None:
        assert output.measurements["cohort"]["num_left_out"] == 0
        assert np.all(np.isfinite(_aggregate(output)))
    else:
        expected = built.next(built.initial_state, _UPDATES[:2], [0, 1])
        _check_last_is_left_out(output, expected)


def test_one_client_has_weight_one(built):
    """Except with q-FedAvg, which does not average; the second of two rounds has a history."""
    state = built.initial_state
    for _ in range(2):
        output = built.next(state, _UPDATES[:1], [4])
        state = output.state
        (weight,) = output.measurements["cohort"]["weights"]
        assert 0 < weight < 2
        if built.name != "q_fair":
            assert weight == pytest.approx(1, rel=1e-5)
            np.testing.assert_allclose(_aggregate(output), np.append(*_UPDATES[0]), rtol=1e-5)
