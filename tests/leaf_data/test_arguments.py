"""Every argument of `leaf_data` given what it must not be: one sentence that names it, at once.

An argument that is added without a check is found by the last test. Arrays of examples have their
own tests, beside what reads them.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
import tensorflow as tf

import leaf_data
from leaf_data import models, partitioners, pixels, registry, sampling, shakespeare
from leaf_data.client_data import ArrayClientData
from leaf_data.errors import DataError
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.image_datasets import (
    fed_adp,
    fed_cav,
    fed_veca,
    femnist,
    leaf_femnist,
    mnist,
    wei_avg,
)
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.leaf_json.text import as_numbers
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.random_streams import random_stream
from leaf_data.sent140 import leaf_sent140, sent140
from leaf_data.synthetic import synthetic, synthetic_dirichlet

_NOT_NUMBERS = (math.nan, math.inf, -math.inf, "1", None, [1], True, 10**400)
_NOT_WHOLE = (*_NOT_NUMBERS, 0.5, 2.0, -1, 2**31)
_NOT_COUNTS = (*_NOT_WHOLE, 0)
_NOT_SEEDS = (*(x for x in _NOT_WHOLE if x not in (10**400, 2**31)),)
_NOT_FRACTIONS = (*_NOT_NUMBERS, 0, -0.1, 1.1)
_NOT_SHAPES = (None, 3, "28x28", (), (28, 0), (28, -1), (28, 2.0), (True, 28), (math.nan, 28))
_NOT_IMAGE_SHAPES = (*_NOT_SHAPES, (28,), (28, 28, 3, 1))
_NOT_TRUTH = (0, 1, "yes", None, math.nan)
_NOT_NAMES = (3, "", True, math.nan, [])
_NOT_PATHS = (3, "", True, math.nan, [])
_NOT_PIXELS = (None, "unit", 255.0)
_NOT_DTYPES = (None, "uint8", np.uint8)


def _or_none(values):
    return tuple(value for value in values if value is not None)


_LABELS = np.arange(400) % 10
_CLIENTS = ArrayClientData({"a": {"x": np.zeros([2, 3], np.float32), "y": np.array([0, 1])}})
_DATASET = FederatedDataset("two", _CLIENTS, _CLIENTS, num_classes=2)
_NO_CHOICES = (3, None, "", "mnits")
_NOWHERE = {"data_dir": "nowhere"}
_OF_FILES = {"data_dir": _NOT_PATHS, "seed": _NOT_SEEDS}
_IMAGE_MODELS = {
    name: (
        getattr(models, name),
        {"image_shape": (28, 28), "num_classes": 10, "seed": 0},
        {
            "image_shape": _NOT_IMAGE_SHAPES,
            "num_classes": (*_NOT_COUNTS, 1),
            "seed": _NOT_SEEDS,
            "pixels": _NOT_PIXELS,
            "pixel_dtype": _NOT_DTYPES,
        },
    )
    for name in ("fed_adp_cnn", "fed_adp_cnn_unpadded", "fed_veca_cnn", "le_net")
}

# From an argument's owner to what it is called with, and to what must not be given.
_TABLE = {
    "synthetic": (
        synthetic,
        {},
        {
            "alpha": (*_NOT_NUMBERS, -1),
            "beta": (*_NOT_NUMBERS, -1),
            "num_clients": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
            "train_fraction": _NOT_FRACTIONS,
            "iid": _NOT_TRUTH,
            "num_features": _NOT_COUNTS,
            "num_classes": (*_NOT_COUNTS, 1),
        },
    ),
    "synthetic_dirichlet": (
        synthetic_dirichlet,
        {"concentration": 1.0},
        {
            "concentration": (*_NOT_NUMBERS, -1, 0),
            "num_clients": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
            "train_fraction": _NOT_FRACTIONS,
            "num_features": _NOT_COUNTS,
            "num_classes": (*_NOT_COUNTS, 1),
        },
    ),
    "random_stream": (random_stream, {"purpose": "a test"}, {"seed": _NOT_SEEDS}),
    "sample_clients": (
        sampling.sample_clients,
        {"sizes": [3, 4], "num_samples": 5, "seed": 0},
        {
            "sizes": ([-1], [0.5], [math.nan], ["3"], 3, None, [[1]], [True]),
            "num_samples": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
            "num_clients": _or_none(_NOT_COUNTS),
        },
    ),
    # The partitioners.
    "classes_per_client": (
        partitioners.classes_per_client,
        {"num_clients": 2, "seed": 0},
        {
            "num_clients": _NOT_COUNTS,
            "classes_per_client": (*_NOT_COUNTS, 11),
            "seed": _NOT_SEEDS,
        },
    ),
    "dirichlet": (
        partitioners.dirichlet,
        {"num_partitions": 2, "alpha": 1.0, "seed": 0},
        {
            "num_partitions": _NOT_COUNTS,
            "alpha": (*_NOT_NUMBERS, -1, 0),
            "min_partition_size": (*_NOT_WHOLE, 201),
            "seed": _NOT_SEEDS,
        },
    ),
    "entropy_skew": (
        partitioners.entropy_skew,
        {"num_clients": 10, "num_samples": 100, "seed": 0},
        {
            "num_clients": _NOT_COUNTS,
            "num_samples": (*_NOT_COUNTS, 9, 101),
            "p": (*_NOT_NUMBERS, -0.1, 1.1),
            "seed": _NOT_SEEDS,
        },
    ),
    **{
        name: (
            getattr(partitioners, name),
            {"num_clients": 4, "seed": 0},
            {"num_clients": (*_NOT_COUNTS, 401), "seed": _NOT_SEEDS},
        )
        for name in ("iid", "single_label", "half_iid_half_single_label")
    },
    "major_minor": (
        partitioners.major_minor,
        {"num_clients": 4, "samples_per_client": 20, "seed": 0},
        {
            "num_clients": _NOT_COUNTS,
            "samples_per_client": _NOT_COUNTS,
            "stdev": (*_NOT_NUMBERS, -1),
            "major_share": (*_NOT_NUMBERS, 0.4, 1.1),
            "seed": _NOT_SEEDS,
        },
    ),
    "power_law_two_class": (
        partitioners.power_law_two_class,
        {"num_clients": 10, "seed": 0},
        {
            "num_clients": (*_NOT_COUNTS, 11),
            "sigma": (*_NOT_NUMBERS, -1),
            "seed": _NOT_SEEDS,
        },
    ),
    "train_test_split": (
        lambda labels, **given: partitioners.train_test_split([np.arange(4)], **given),
        {"train_fraction": 0.5, "seed": 0},
        {"train_fraction": _NOT_FRACTIONS, "seed": _NOT_SEEDS},
    ),
    "x_class": (
        partitioners.x_class,
        {"num_iid": 1, "num_non_iid": 1, "x": 1, "samples_per_client": 5, "seed": 0},
        {
            "num_iid": _NOT_WHOLE,
            "num_non_iid": _NOT_WHOLE,
            "x": (*_NOT_COUNTS, 11),
            "samples_per_client": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
        },
    ),
    "random_classes": (
        partitioners.random_classes,
        {"num_classes_per_client": [1], "samples_per_client": 5, "seed": 0},
        {
            "num_classes_per_client": (None, 3, [], "12"),
            "samples_per_client": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
        },
    ),
    "general_case_1": (
        partitioners.general_case_1,
        {"samples_per_client": 5, "seed": 0},
        {"samples_per_client": _NOT_COUNTS, "seed": _NOT_SEEDS},
    ),
    "general_case_2": (
        partitioners.general_case_2,
        {"samples_per_client": 5, "seed": 0},
        {"num_clients": _NOT_COUNTS, "samples_per_client": _NOT_COUNTS, "seed": _NOT_SEEDS},
    ),
    # The models.
    **_IMAGE_MODELS,
    "image_logistic_regression": (
        models.image_logistic_regression,
        _IMAGE_MODELS["le_net"][1],
        {**_IMAGE_MODELS["le_net"][2], "image_shape": _NOT_SHAPES},
    ),
    "squared_svm": (
        models.squared_svm,
        {"image_shape": (28, 28), "seed": 0},
        {
            "image_shape": _NOT_IMAGE_SHAPES,
            "seed": _NOT_SEEDS,
            "l2_strength": (*_NOT_NUMBERS, -1),
            "pixels": _NOT_PIXELS,
            "pixel_dtype": _NOT_DTYPES,
        },
    ),
    "logistic_regression": (
        models.logistic_regression,
        {"num_features": 3, "num_classes": 2, "seed": 0},
        {
            "num_features": _NOT_COUNTS,
            "num_classes": (*_NOT_COUNTS, 1),
            "seed": _NOT_SEEDS,
            "feature_dtype": _NOT_DTYPES,
            "label_dtype": (*_NOT_DTYPES, tf.float32),
        },
    ),
    "next_character_lstm": (
        models.next_character_lstm,
        {"num_symbols": 3, "window_size": 2, "seed": 0},
        {
            "num_symbols": (*_NOT_COUNTS, 1),
            "window_size": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
            "embedding_size": _NOT_COUNTS,
            "num_units": _NOT_COUNTS,
            "symbol_dtype": (*_NOT_DTYPES, tf.float32, tf.string),
        },
    ),
    "sentiment_lstm": (
        models.sentiment_lstm,
        {"vocabulary_size": 3, "num_tokens": 2, "seed": 0},
        {
            "vocabulary_size": (*_NOT_COUNTS, 1),
            "num_tokens": _NOT_COUNTS,
            "seed": _NOT_SEEDS,
            "num_units": _NOT_COUNTS,
            "num_classes": (*_NOT_COUNTS, 1),
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
        {"mean": _NOT_NUMBERS, "deviation": (*_NOT_NUMBERS, 0, -1)},
    ),
    # Data sets, and what is made of them.
    "FederatedDataset": (
        FederatedDataset,
        {"name": "two", "train": _CLIENTS, "test": _CLIENTS},
        {
            "name": (*_NOT_NAMES, None),
            "train": (None, {}, "train"),
            "test": (None, {}, "test"),
            "seed": _or_none(_NOT_SEEDS),
            "num_classes": _or_none(_NOT_COUNTS),
            "pixels": _NOT_PIXELS,
        },
    ),
    "DocumentedStatistics": (
        DocumentedStatistics,
        {"num_clients": 1, "num_samples": 1},
        {
            "num_clients": _NOT_COUNTS,
            "num_samples": _NOT_COUNTS,
            "mean_samples_per_client": (*_or_none(_NOT_NUMBERS), -1),
            "stdev_samples_per_client": (*_or_none(_NOT_NUMBERS), -1),
        },
    ),
    "from_arrays": (
        leaf_data.from_arrays,
        {"x": np.zeros([4, 2]), "y": [0, 1, 0, 1], "client": [0, 0, 1, 1]},
        {
            "train_fraction": _NOT_FRACTIONS,
            "seed": _NOT_SEEDS,
            "num_classes": _or_none(_NOT_COUNTS),
            "name": (*_NOT_NAMES, None),
            "pixels": _NOT_PIXELS,
        },
    ),
    "from_frame": (leaf_data.from_frame, {}, {"frame": (None, {}, np.zeros([2, 2]))}),
    "from_client_data": (
        leaf_data.from_client_data,
        {"train": _CLIENTS},
        {"train": (None, {}, "train"), "test": ({}, "test")},
    ),
    "read_leaf_json": (
        read_leaf_json,
        {"leaf_dir": "nowhere"},
        {
            "leaf_dir": (*_NOT_PATHS, None),
            "name": (*_NOT_NAMES, None),
            "num_classes": _or_none(_NOT_COUNTS),
            "shape": _or_none(_NOT_SHAPES),
        },
    ),
    "as_numbers": (
        as_numbers,
        {"dataset": _DATASET},
        {"dataset": (None, _CLIENTS), "embeddings": (*_NO_CHOICES, "glove:")},
    ),
    "write_leaf_json": (
        write_leaf_json,
        {"dataset": _DATASET, "leaf_dir": "nowhere"},
        {"dataset": (None, _CLIENTS), "leaf_dir": (*_NOT_PATHS, None), "convert": (None, 3)},
    ),
    "load": (
        registry.load,
        {"name": "synthetic_1_1"},
        {
            "name": (*_NOT_NAMES, None, "nothing"),
            "seed": _NOT_SEEDS,
            "data_dir": _NOT_PATHS,
            "leaf_dir": (*_NOT_PATHS, "nowhere"),
            "options": (3, [], "num_clients"),
            "prepared_dir": _NOT_PATHS,
        },
    ),
    "load_task": (
        leaf_data.load_task,
        {"name": "synthetic_1_1"},
        {"name": (*_NOT_NAMES, None, "nothing"), "model": (*_NOT_NAMES, "nothing")},
    ),
    "as_task": (
        leaf_data.as_task,
        {"dataset": _DATASET},
        {"dataset": (None, _CLIENTS), "model": (*_NOT_NAMES, None, "nothing")},
    ),
    # Those that are read from files: before anything is.
    "mnist": (
        mnist.mnist,
        _NOWHERE,
        {
            **_OF_FILES,
            "num_clients": _NOT_COUNTS,
            "sigma": (*_NOT_NUMBERS, -1),
            "train_fraction": _NOT_FRACTIONS,
            "pixels": _NO_CHOICES,
        },
    ),
    "femnist": (
        femnist.femnist,
        _NOWHERE,
        {
            **_OF_FILES,
            "num_clients": _NOT_COUNTS,
            "classes_per_client": _NOT_COUNTS,
            "train_fraction": _NOT_FRACTIONS,
            "ink": _NO_CHOICES,
        },
    ),
    "leaf_femnist": (leaf_femnist.leaf_femnist, {}, {"data_dir": _NOT_PATHS, "leaf_dir": (3, "")}),
    "fed_adp.x_class": (
        fed_adp.x_class,
        {"images": "mnist", **_NOWHERE},
        {
            **_OF_FILES,
            "images": _NO_CHOICES,
            "num_iid": _NOT_WHOLE,
            "num_non_iid": _NOT_WHOLE,
            "x": _NOT_COUNTS,
            "samples_per_client": _NOT_COUNTS,
            "pixels": _NO_CHOICES,
        },
    ),
    "mnist_mixed_classes": (
        fed_adp.mnist_mixed_classes,
        _NOWHERE,
        {
            **_OF_FILES,
            "num_iid": _NOT_WHOLE,
            "num_one_class": _NOT_WHOLE,
            "num_two_class": _NOT_WHOLE,
            "samples_per_client": _NOT_COUNTS,
        },
    ),
    "mnist_general_case": (
        fed_adp.mnist_general_case,
        {"case": 1, **_NOWHERE},
        {**_OF_FILES, "case": (0, 3, True, 1.0, "1", None), "samples_per_client": _NOT_COUNTS},
    ),
    "mnist_major_minor": (
        fed_cav.mnist_major_minor,
        _NOWHERE,
        {
            **_OF_FILES,
            "num_clients": _NOT_COUNTS,
            "samples_per_client": _NOT_COUNTS,
            "stdev": (*_NOT_NUMBERS, -1),
            "major_share": (*_NOT_NUMBERS, 0.4, 1.1),
        },
    ),
    "fed_veca.case": (
        fed_veca.case,
        {"images": "mnist", "number": 1, **_NOWHERE},
        {
            **_OF_FILES,
            "images": _NO_CHOICES,
            "number": (0, 4, True, 1.0, "1", None),
            "num_clients": _NOT_COUNTS,
        },
    ),
    "wei_avg.entropy": (
        wei_avg.entropy,
        {"images": "mnist", "num_samples": 100, **_NOWHERE},
        {
            **_OF_FILES,
            "images": _NO_CHOICES,
            "num_clients": _NOT_COUNTS,
            "num_samples": (*_NOT_COUNTS, 99),
            "p": (*_NOT_NUMBERS, -0.1, 1.1),
        },
    ),
    "shakespeare": (
        shakespeare.shakespeare,
        _NOWHERE,
        {**_OF_FILES, "train_fraction": _NOT_FRACTIONS},
    ),
    "leaf_shakespeare": (
        shakespeare.leaf_shakespeare,
        _NOWHERE,
        {"data_dir": _NOT_PATHS, "train_fraction": _NOT_FRACTIONS, "leaf_split": _NOT_TRUTH},
    ),
    "sent140": (
        sent140,
        _NOWHERE,
        {
            **_OF_FILES,
            "embeddings": (*_NO_CHOICES, "glove:"),
            "min_tweets_per_account": _NOT_COUNTS,
            "sample_fraction": _NOT_FRACTIONS,
            "train_fraction": _NOT_FRACTIONS,
        },
    ),
    "leaf_sent140": (
        leaf_sent140,
        _NOWHERE,
        {
            **_OF_FILES,
            "embeddings": (*_NO_CHOICES, "glove:"),
            "train_fraction": _NOT_FRACTIONS,
            "leaf_split": _NOT_TRUTH,
        },
    ),
}
_ON_LABELS = {name for name in partitioners.__all__ if name in _TABLE}
_CASES = [
    pytest.param(owner, name, value, id=f"{owner}, {name}={str(value)[:12]}")
    for owner, (_, _, bad) in _TABLE.items()
    for name, values in bad.items()
    for value in values
]


@pytest.mark.parametrize(("owner", "name", "value"), _CASES)
def test_what_must_not_be_given_is_refused_by_name(owner, name, value):
    build, arguments, _ = _TABLE[owner]
    before = (_LABELS,) if owner in _ON_LABELS else ()
    with pytest.raises(ValueError) as error:
        build(*before, **{**arguments, name: value})
    # `read_images` calls its own argument `name`.
    names = (name, "name") if name == "images" else (name,)
    said = str(error.value)
    assert any(
        f"{one} is {value!r}" in said
        or f"{one} is {value};" in said
        or f"{one} is a {type(value).__name__};" in said
        for one in names
    )
    assert "must" in said or "take it" in said
    assert len(said.splitlines()) == 1
    assert not isinstance(error.value, DataError)


_PUBLIC = {
    **{name: getattr(leaf_data, name) for name in leaf_data.__all__},
    **{name: getattr(models, name) for name in models.__all__},
    **{name: getattr(partitioners, name) for name in partitioners.__all__},
}
# Arrays, functions, what others check, and what is only kept.
_NOT_LISTED = {
    *("labels", "partitions", "x", "y", "client", "is_test", "word_vectors", "clients"),
    *("documented", "origin", "purpose", "index", "label", "features", "options"),
    *("data_seed", "data_dir", "leaf_dir", "prepared_dir", "_client_index"),
}


def test_no_argument_is_forgotten():
    """Nothing is left out but an error, a record and `drop_untested`, which takes arrays alone."""
    assert set(_PUBLIC) - set(_TABLE) == {"DataError", "Task", "drop_untested"}
    for owner, (build, arguments, bad) in _TABLE.items():
        taken = set(inspect.signature(_PUBLIC.get(owner, build)).parameters)
        assert taken - set(bad) - _NOT_LISTED == set(), owner
        assert set(arguments) | set(bad) <= taken, owner


@pytest.mark.parametrize("labels", [[[0, 1]], 3, [0.0, math.nan], [math.inf, 1.0]])
@pytest.mark.parametrize("owner", sorted(_ON_LABELS - {"train_test_split"}))
def test_labels_that_are_none_are_refused(owner, labels):
    build, arguments, _ = _TABLE[owner]
    with pytest.raises(ValueError, match="labels has"):
        build(labels, **arguments)
