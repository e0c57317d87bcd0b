"""Tests of `tff_weights.weightings.fed_disco`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reference.problem import Examples, client_data, functional_model, model_weights
from weighing import weights_of

from tff_weights import LocalTraining, build_client_work, fed_disco_weighting


def _weights(counts, discrepancies, **arguments):
    return weights_of(
        fed_disco_weighting(**arguments), num_examples=counts, label_discrepancy=discrepancies
    )


@pytest.mark.parametrize(
    ("arguments", "discrepancies", "expected"),
    [
        # Scores 1/4 − 0.1 + 0.1, 1/4 − 0.5 + 0.1 < 0 and 1/2 − 0.25 + 0.1.
        ({"metric": "l2"}, [0.2, 1.0, 0.5], [0.25 / 0.6, 0, 0.35 / 0.6]),
        # Divergences of 1/4, 1/2 and 1/4 of the sum: 9/40, 1/10 and 19/40 are left.
        ({}, [1, 2, 1], [9 / 32, 4 / 32, 19 / 32]),
        ({"discount": 0.0, "offset": 0.0}, [1, 2, 1], [1 / 4, 1 / 4, 1 / 2]),
        # Where no score is positive, as where nobody's labels differ from even ones.
        ({"metric": "l2", "discount": 9.0}, [1, 1, 1], [1 / 4, 1 / 4, 1 / 2]),
        ({"offset": 0.0}, [0, 0, 0], [1 / 4, 1 / 4, 1 / 2]),
    ],
)
def test_by_hand(arguments, discrepancies, expected):
    """Of 10, 10 and 20 examples; by default the discount is 0.5 and the offset 0.1."""
    weights = _weights([10, 10, 20], discrepancies, **arguments)
    np.testing.assert_allclose(weights, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # Shares 2/3 and 1/3 of three classes: 2/3 ln 2 + 1/3 ln 1; of one class ln 3; even ones 0.
        ("kl", [2 / 3 * math.log(2), math.log(3), 0, math.nan]),
        # 4/9 + 1/9 − 1/3 and 1 − 1/3 under the root.
        ("l2", [math.sqrt(2 / 9), math.sqrt(2 / 3), 0, math.nan]),
    ],
)
@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_discrepancies_by_hand(metric, expected, compile_with_xla):
    """The model has three outputs; a client without labels has no discrepancy."""
    training = LocalTraining(
        learning_rate=0.1, batch_size=5, steps=0, compile_with_xla=compile_with_xla
    )
    field = fed_disco_weighting(metric=metric).report_fields[1]
    process = build_client_work(functional_model(), training, report_fields=(field,))
    clients = [
        client_data(i, Examples(np.zeros([len(labels), 4], np.float32), np.array(labels, np.int32)))
        for i, labels in enumerate(([0, 0, 1], [2, 2], [1, 2, 0], []))
    ]
    output = process.next(process.initialize(), [model_weights()] * 4, clients)
    found = [result.update_weight["label_discrepancy"] for result in output.result]
    assert found == pytest.approx(expected, abs=1e-3, nan_ok=True)
