"""Tests of `tff_weights.weightings.fed_disco`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reference.problem import Examples, client_data, functional_model, model_weights

from tff_weights import LocalTraining, build_client_work, fed_disco_weighting


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # Shares 2/3 and 1/3 of three classes: 2/3 ln 2 + 1/3 ln 1; of one class ln 3; even ones 0.
        ("kl", [2 / 3 * math.log(2), math.log(3), 0, math.nan, math.nan]),
        # 4/9 + 1/9 − 1/3 and 1 − 1/3 under the root.
        ("l2", [math.sqrt(2 / 9), math.sqrt(2 / 3), 0, math.nan, math.nan]),
    ],
)
@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_discrepancies_by_hand(metric, expected, compile_with_xla):
    """Of three outputs; without labels, or with more than three, there is no discrepancy."""
    training = LocalTraining(
        learning_rate=0.1, batch_size=5, steps=0, compile_with_xla=compile_with_xla
    )
    field = fed_disco_weighting(metric=metric).report_fields[1]
    process = build_client_work(functional_model(), training, report_fields=(field,))
    clients = [
        client_data(i, Examples(np.zeros([len(labels), 4], np.float32), np.array(labels, np.int32)))
        for i, labels in enumerate(([0, 0, 1], [2, 2], [1, 2, 0], [], range(4)))
    ]
    output = process.next(process.initialize(), [model_weights()] * 5, clients)
    found = [result.update_weight["label_discrepancy"] for result in output.result]
    assert found == pytest.approx(expected, abs=1e-3, nan_ok=True)
