"""Tests of `tff_weights.evaluation.fine_tuning`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from reference.federation import CLIENTS, LOCAL_TRAINING, cohort_data
from reference.problem import (
    functional_model,
    initial_vector,
    keras_model,
    model_weights,
    to_vector,
)
from reference.simulation import Participant

from tff_weights import build_fine_tuning
from tff_weights.client_work.any_model import local_model


@pytest.mark.parametrize(
    ("model", "compile_with_xla"),
    [(functional_model(), False), (functional_model(), True), (keras_model, False)],
)
def test_against_numpy(model, compile_with_xla):
    """Three steps on clients with less than a batch and with several, from the same weights.

    What TFF builds in between changes the classes of Keras' layers.
    """
    training = dataclasses.replace(
        LOCAL_TRAINING, epochs=None, steps=3, compile_with_xla=compile_with_xla
    )
    fine_tune = build_fine_tuning(model, training)
    like = local_model(model).initial_weights_computation()
    weights = tf.nest.pack_sequence_as(like, model_weights().trainable)
    for index in (0, 3):
        (data,) = cohort_data([index])
        expected = Participant(index, CLIENTS[index], 0, training).train(initial_vector()).weights
        found = fine_tune(weights, data).trainable
        np.testing.assert_allclose(to_vector(found), expected, atol=1e-5)
