"""What the models, and the scaling of their pixels, must not be given."""

from __future__ import annotations

import math

import tensorflow as tf
from refused_values import (
    NOT_COUNTS,
    NOT_DTYPES,
    NOT_IMAGE_SHAPES,
    NOT_NUMBERS,
    NOT_PIXELS,
    NOT_SEEDS,
    NOT_SHAPES,
)

from leaf_data import models, pixels

_IMAGE_MODELS = {
    name: (
        getattr(models, name),
        {"image_shape": (28, 28), "num_classes": 10, "seed": 0},
        {
            "image_shape": NOT_IMAGE_SHAPES,
            "num_classes": (*NOT_COUNTS, 1),
            "seed": NOT_SEEDS,
            "pixels": NOT_PIXELS,
            "pixel_dtype": NOT_DTYPES,
        },
    )
    for name in ("fed_adp_cnn", "fed_adp_cnn_unpadded", "fed_veca_cnn", "le_net")
}

# From an argument's owner to what it is called with, and to what must not be given.
REFUSED = {
    **_IMAGE_MODELS,
    "image_logistic_regression": (
        models.image_logistic_regression,
        _IMAGE_MODELS["le_net"][1],
        {**_IMAGE_MODELS["le_net"][2], "image_shape": NOT_SHAPES},
    ),
    "perceptron": (
        models.perceptron,
        _IMAGE_MODELS["le_net"][1],
        {**_IMAGE_MODELS["le_net"][2], "image_shape": NOT_SHAPES, "num_hidden": NOT_COUNTS},
    ),
    "squared_svm": (
        models.squared_svm,
        {"image_shape": (28, 28), "seed": 0},
        {
            "image_shape": NOT_IMAGE_SHAPES,
            "seed": NOT_SEEDS,
            "l2_strength": (*NOT_NUMBERS, -1),
            "pixels": NOT_PIXELS,
            "pixel_dtype": NOT_DTYPES,
        },
    ),
    "logistic_regression": (
        models.logistic_regression,
        {"num_features": 3, "num_classes": 2, "seed": 0},
        {
            "num_features": NOT_COUNTS,
            "num_classes": (*NOT_COUNTS, 1),
            "seed": NOT_SEEDS,
            "feature_dtype": NOT_DTYPES,
            "label_dtype": (*NOT_DTYPES, tf.float32),
        },
    ),
    "next_character_lstm": (
        models.next_character_lstm,
        {"num_symbols": 3, "window_size": 2, "seed": 0},
        {
            "num_symbols": (*NOT_COUNTS, 1),
            "window_size": NOT_COUNTS,
            "seed": NOT_SEEDS,
            "embedding_size": NOT_COUNTS,
            "num_units": NOT_COUNTS,
            "symbol_dtype": (*NOT_DTYPES, tf.float32, tf.string),
        },
    ),
    "sentiment_lstm": (
        models.sentiment_lstm,
        {"vocabulary_size": 3, "num_tokens": 2, "seed": 0},
        {
            "vocabulary_size": (*NOT_COUNTS, 1),
            "num_tokens": NOT_COUNTS,
            "seed": NOT_SEEDS,
            "num_units": NOT_COUNTS,
            "num_classes": (*NOT_COUNTS, 1),
        },
    ),
    "PixelScaling": (
        pixels.PixelScaling,
        {"mean": 0.0, "deviation": 1.0},
        {"mean": ("1", None, math.nan, True), "deviation": ("1", None, math.nan, 0.0, -1.0)},
    ),
    "one_for_all": (
        pixels.one_for_all,
        {"mean": 0.0, "deviation": 1.0},
        {"mean": NOT_NUMBERS, "deviation": (*NOT_NUMBERS, 0, -1)},
    ),
}
