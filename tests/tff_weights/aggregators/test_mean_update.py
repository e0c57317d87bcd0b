"""Tests of the mean update that `WeightingFactory` measures updates against."""

import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import weights as reference_weights

from tff_weights import WeightingFactory, fed_adp_weighting, wei_avg_weighting

_VECTOR = tff.TensorType(np.float32, [3])
_FLOAT = tff.TensorType(np.float32)
# Norms of at most 1, and numbers of examples that make n_i Δ_i a hundred times as long.
_UPDATES = np.array([[0.6, 0.0, 0.2], [0.1, -0.5, 0.3], [-0.2, 0.4, 0.4]], np.float32)
_COUNTS = [10.0, 100.0, 400.0]


def _angles():
    mean = np.array(_COUNTS) / sum(_COUNTS) @ _UPDATES
    angles = [reference_weights.angle(mean, update) for update in _UPDATES]
    return angles, reference_weights.fed_adp(angles, _COUNTS)


def _projections():
    mean = _UPDATES.mean(axis=0)
    projections = [reference_weights.projection(update, mean) for update in _UPDATES]
    return projections, reference_weights.wei_avg(projections, exponent=1.0, counts=_COUNTS)


def _measured(output, weighting):
    """What was measured, in the order of the clients, whose numbers of examples tell them."""
    (field,) = weighting.update_fields
    reports = output.measurements["cohort"]["reports"]
    return reports[field][np.argsort(reports["num_examples"])]


@pytest.mark.parametrize(
    ("weighting", "restated"),
    [
        (fed_adp_weighting(smoothing="none"), _angles),
        (wei_avg_weighting(multiply_by_num_examples=True), _projections),
    ],
    ids=["angle to the mean by examples", "projection on the simple mean"],
)
def test_updates_are_measured_against_the_mean_of_those_who_take_part(weighting, restated):
    """Who is left out is not in it, nor is its number of examples.

    Of two opposite updates the mean has no direction: both angles are π/2, both projections 0.
    Where no model has moved, nor has their mean.
    """
    process = WeightingFactory(weighting).create(_VECTOR, _FLOAT)
    state = process.initialize()
    output = process.next(state, list(_UPDATES), _COUNTS)
    measured, weights = restated()
    np.testing.assert_allclose(_measured(output, weighting), measured, rtol=1e-4)
    np.testing.assert_allclose(output.result, weights @ _UPDATES, rtol=1e-4)

    broken = _UPDATES.copy()
    broken[2, 1] = math.nan
    output = process.next(state, list(broken), _COUNTS)
    alone = process.next(state, list(broken[:2]), _COUNTS[:2])
    np.testing.assert_allclose(_measured(output, weighting), _measured(alone, weighting), rtol=1e-6)
    np.testing.assert_allclose(output.result, alone.result, rtol=1e-6)

    opposite = np.array([[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]], np.float32)
    output = process.next(state, list(opposite), [7.0, 7.0])
    np.testing.assert_allclose(output.measurements["cohort"]["weights"], [0.5, 0.5], rtol=1e-6)
    np.testing.assert_allclose(output.result, [0, 0, 0], atol=1e-6)

    output = process.next(state, list(np.zeros((2, 3), np.float32)), [7.0, 7.0])
    np.testing.assert_array_equal(output.result, [0, 0, 0])


@pytest.mark.parametrize(
    "weighting", [fed_adp_weighting(smoothing="none"), wei_avg_weighting()], ids=["angle", "mean"]
)
def test_the_clients_train_once(weighting):
    """What is in the mean, what is measured against it and what is scaled are one random draw.

    A lone client's mean is its own update: angle 0, and a projection of its own length.
    """
    process = WeightingFactory(weighting).create(_FLOAT, _FLOAT)

    @tff.tensorflow.computation(np.float32)
    def draw(report):
        return tf.random.uniform([], 1.0, 2.0) * report

    @tff.federated_computation(
        process.initialize.type_signature.result, tff.FederatedType(np.float32, tff.CLIENTS)
    )
    def next_round(state, reports):
        return process.next(state, tff.federated_map(draw, reports), reports)

    output = next_round(process.initialize(), [1.0])
    reports = output.measurements["cohort"]["reports"]
    if "angle_to_mean" in reports:
        np.testing.assert_allclose(reports["angle_to_mean"], 0, atol=1e-3)
    else:
        np.testing.assert_allclose(reports["projection_on_mean"], output.result, rtol=1e-6)
