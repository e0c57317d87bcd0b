from __future__ import annotations

import numpy as np
import pytest

from benchmarks.perceptron import perceptron


def test_the_layers_by_hand():
    model = perceptron(num_features=3, num_hidden=2, num_classes=2, seed=0)
    kernel_1, bias_1, kernel_2, bias_2 = model.initial_weights[0]
    assert [w.shape for w in (kernel_1, bias_1, kernel_2, bias_2)] == [(3, 2), (2,), (2, 2), (2,)]
    x = np.array([[1.0, -2.0, 0.5]], np.float32)
    expected = np.maximum(x @ kernel_1 + bias_1, 0.0) @ kernel_2 + bias_2
    output = model.predict_on_batch(model.initial_weights, x, training=True)
    np.testing.assert_allclose(output, expected, rtol=1e-6)


def test_one_class_is_none():
    with pytest.raises(ValueError, match="num_classes is 1"):
        perceptron(num_features=3, num_hidden=2, num_classes=1, seed=0)
