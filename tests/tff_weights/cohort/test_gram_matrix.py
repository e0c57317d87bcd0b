"""Tests of `tff_weights.cohort.gram_matrix`, by a weighting that publishes what it is given."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

import tff_weights as tw
from tff_weights.cohort import gram_matrix

_VALUE = tff.to_type([(np.float32, [2]), np.float32])
_REPORT = tff.to_type(collections.OrderedDict(client_index=np.int64))
_SUM = tff.aggregators.SumFactory()


def _weigh(history, reports):
    matrix, index = reports["gram_matrix"], reports["client_index"]
    order = tf.argsort(index)
    of_clients = tf.gather(tf.gather(matrix, order), order, axis=1)
    # A client's weight is the length of its own update, which tells the order of the rows.
    return tw.Weighed(
        tf.sqrt(tf.linalg.diag_part(matrix)), history, collections.OrderedDict(matrix=of_clients)
    )


_WEIGHTING = tw.Weighting("compares", ("client_index",), _weigh, gram_matrix=True)


def _aggregate(updates, inner_factory=None):
    process = tw.WeightingFactory(_WEIGHTING, inner_factory).create(_VALUE, _REPORT)
    values = [(np.array(u[:2], np.float32), np.float32(u[2])) for u in updates]
    reports = [collections.OrderedDict(client_index=np.int64(i)) for i in range(len(updates))]
    return process.next(process.initialize(), values, reports)


def test_a_cohort_by_hand():
    """(3, 0, 4), (0, 1, 0) and (1, 1, −1) have the products 0, 3 − 4 = −1 and 1; lengths 5, 1, √3.

    The sum of updates times their lengths is (15 + √3, 1 + √3, 20 − √3).
    """
    output = _aggregate([(3, 0, 4), (0, 1, 0), (1, 1, -1)])
    cohort = output.measurements["cohort"]
    matrix = cohort["weighting"]["matrix"]
    np.testing.assert_allclose(matrix, [[25, 0, -1], [0, 1, 1], [-1, 1, 3]], rtol=1e-6)
    r = 3**0.5
    np.testing.assert_allclose(np.append(*output.result), [15 + r, 1 + r, 20 - r], rtol=1e-6)
    assert set(cohort["reports"]) == {"client_index"}


def test_who_is_left_out_is_not_in_the_matrix():
    """A NaN, and an infinite square. The others' 2²⁶ + 1 − 2²⁶ = 1 would be lost in float32."""
    updates = [(8192, 1, 8192), (np.nan, 0, 0), (1e30, 0, 0), (8192, 1, -8192)]
    cohort = _aggregate(updates).measurements["cohort"]
    np.testing.assert_allclose(cohort["weighting"]["matrix"], [[2**27, 1], [1, 2**27]], rtol=1e-6)
    assert cohort["left_out"]["update_not_finite"] == 2


_NOISE = tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
    noise_multiplier=1.0, clients_per_round=1.0, clip=1.0
)


@pytest.mark.parametrize(
    ("inner_factory", "message"),
    [
        (tff.aggregators.SecureSumFactory(1e3, -1e3), "sums securely"),
        (_NOISE, "adds noise"),
        (tff.aggregators.zeroing_factory(1e3, _NOISE), "adds noise"),
    ],
)
def test_what_hides_updates_is_refused(inner_factory, message):
    factory = tw.WeightingFactory(_WEIGHTING, inner_factory)
    with pytest.raises(ValueError, match=f"'compares' .*server must see, but .*{message}"):
        factory.create(_VALUE, _REPORT)
    with pytest.raises(ValueError, match=r"\['gram_matrix'\] on updates"):
        tw.with_model_replacement(None, weighting=_WEIGHTING, attack_round=0, attacker_index=0)


def test_what_clips_is_taken():
    """Weighted by its length, (3, 0, 4) is clipped to the length of 1."""
    output = _aggregate([(3, 0, 4)], tff.aggregators.clipping_factory(1.0, _SUM))
    np.testing.assert_allclose(np.append(*output.result), [0.6, 0, 0.8], rtol=1e-5)


def test_a_cohort_is_bounded(monkeypatch):
    """2³⁶ products: 262,144 clients of one weight, 203 of LeNet's 1,663,370; 2 of any model."""
    assert gram_matrix.most_clients(1) == 2**18
    assert gram_matrix.most_clients(1_663_370) == 203
    assert gram_matrix.most_clients(2**40) == 2
    monkeypatch.setattr(gram_matrix, "_MOST_PRODUCTS", 12)
    _aggregate([(1, 0, 0)] * 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="3 weights takes at most 2 clients"):
        _aggregate([(1, 0, 0)] * 3)
