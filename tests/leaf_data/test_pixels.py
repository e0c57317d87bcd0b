"""Tests of `leaf_data.pixels`."""

import numpy as np
import pytest
import tensorflow as tf

from leaf_data import pixels
from leaf_data.pixels import UNIT, PixelScaling


def test_each_pixel_is_standardized_over_the_images():
    """Of 10, 20, 60 the mean is 30 and the deviation √((400 + 100 + 900) / 3) = 21.602; so 60 is
    30 / 21.603 = 1.38870. A pixel that is always 7 becomes 0, and would be 1,000 if it were 8."""
    scaling = pixels.standardized(np.array([[[10, 7]], [[20, 7]], [[60, 7]]], np.uint8))
    np.testing.assert_allclose(scaling.mean, [[30, 7]])
    np.testing.assert_allclose(scaling.deviation, [[21.603468, 0.001]], rtol=1e-6)
    scaled = scaling(np.array([[60, 8]], np.float32))
    np.testing.assert_allclose(scaled, [[1.388666, 1000.0]], rtol=1e-5)


def test_one_mean_and_deviation_for_all_given_or_measured():
    """(51/255 - 0.1) / 0.5 = 0.2, and (255/255 - 0.1) / 0.5 = 1.8; in a graph as well.

    Of 10, 20, 60, 30 the mean is 30 and the deviation √((400 + 100 + 900 + 0) / 4) = 18.7083; so
    60 is 30 / 18.7083 = 1.60357.
    """
    scaling = pixels.one_for_all(mean=0.1, deviation=0.5)
    np.testing.assert_allclose(scaling(np.array([51, 255], np.float32)), [0.2, 1.8], rtol=1e-6)
    np.testing.assert_allclose(tf.function(scaling)(tf.constant([51.0, 255])), [0.2, 1.8], 1e-6)
    scaling = pixels.pixel_scaling("normalized", np.array([[[10, 20]], [[60, 30]]], np.uint8))
    np.testing.assert_allclose([scaling.mean, scaling.deviation], [30, 18.708287], rtol=1e-6)
    np.testing.assert_allclose(scaling(np.array([60.0], np.float32)), [1.603567], rtol=1e-5)


def test_equal_numbers_are_the_same_scaling():
    x = np.arange(256, dtype=np.float32)
    np.testing.assert_array_equal(UNIT(x), x / np.float32(255))
    np.testing.assert_array_equal(pixels.pixel_scaling("unit", np.zeros((0, 2, 2)))(x), UNIT(x))
    same = PixelScaling(np.zeros(()), np.full((), 255))
    assert same == UNIT and hash(same) == hash(UNIT)
    assert pixels.one_for_all(mean=0.5, deviation=1.0) != UNIT
    assert PixelScaling(np.zeros(2), np.full(2, 255)) != UNIT
    # What does not fit is refused.
    with pytest.raises(ValueError, match="mean has the shape"):
        PixelScaling(np.zeros(2), np.ones(3))
    with pytest.raises(ValueError, match="pixels is 'raw'; it must be one of normalized, "):
        pixels.pixel_scaling("raw", np.zeros((1, 2, 2), np.uint8))
