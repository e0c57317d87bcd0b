"""Tests of `tff_weights.evaluation.fine_tuning`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from reference.federation import CLIENTS, LOCAL_TRAINING, cohort_data
from reference.problem import functional_model, initial_vector, model_weights, to_vector
from reference.simulation import Participant

from tff_weights import build_fine_tuning


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_against_numpy(compile_with_xla):
    """Three steps on clients with less than a batch and with several, from the same weights."""
    training = dataclasses.replace(
        LOCAL_TRAINING, epochs=None, steps=3, compile_with_xla=compile_with_xla
    )
    fine_tune = build_fine_tuning(functional_model(), training)
    for index in (0, 3):
        (data,) = cohort_data([index])
        expected = Participant(index, CLIENTS[index], 0, training).train(initial_vector()).weights
        found = fine_tune(model_weights(), data).trainable
        np.testing.assert_allclose(to_vector(found), expected, atol=1e-5)
