"""Every argument of `leaf_data` given what it must not be: one sentence that names it, at once.

An argument that is added without a check is found by one of these tests. Arrays of examples have
their own tests, beside what reads them.
"""

import inspect
import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from refused_values import (
    but_none,
    not_choices,
    not_counts,
    not_fractions,
    not_integers,
    not_numbers,
    not_seeds,
    not_shapes,
    not_texts,
    not_truth_values,
)

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

_LABELS = np.arange(400) % 10
_CLIENTS = ArrayClientData({"a": {"x": np.zeros([2, 3], np.float32), "y": np.array([0, 1])}})
_DATASET = FederatedDataset("two", _CLIENTS, _CLIENTS, num_classes=2)
_not_clients = st.sampled_from((None, {}, "train"))
_not_datasets = st.sampled_from((None, _CLIENTS))
_not_dtypes = st.sampled_from((None, "uint8", np.uint8))


def _all(strategy, *names):
    return dict.fromkeys(names, strategy)


# What an argument of this name must not be, wherever it is.
_BY_NAME = {
    "alphabet": but_none(not_texts()) | st.just("of six"),
    **_all(not_counts(), "classes_per_client", "embedding_size", "min_tweets_per_account"),
    **_all(not_counts(), "num_clients", "num_features", "num_hidden", "num_partitions"),
    **_all(not_counts(), "num_samples", "num_tokens", "num_units", "samples_per_client"),
    **_all(not_counts(), "window_size"),
    **_all(not_integers(0), "num_iid", "num_non_iid", "num_one_class", "num_two_class"),
    **_all(not_integers(2), "num_classes", "num_symbols", "vocabulary_size"),
    **_all(not_numbers(least=0), "l2_strength", "sigma", "stdev"),
    **_all(but_none(not_numbers(least=0)), "mean_samples_per_client", "stdev_samples_per_client"),
    **_all(not_fractions(), "sample_fraction", "train_fraction"),
    **_all(not_truth_values(), "hand_out_all", "iid", "leaf_split", "per_client"),
    **_all(not_texts(), "leaf_dir", "name"),
    **_all(but_none(not_texts()), "data_dir", "prepared_dir"),
    **_all(not_choices(), "edition", "images", "ink", "letters", "skew", "source"),
    **_all(_not_dtypes, "feature_dtype", "pixel_dtype"),
    "case": not_integers(1, most=2),
    "convert": st.sampled_from((None, 3)),
    "dataset": _not_datasets,
    "deviation": not_numbers(0),
    "embeddings": not_choices() | st.just("glove:"),
    "frame": st.sampled_from((None, {}, np.zeros([2, 2]))),
    "image_shape": not_shapes((2, 3)),
    "labels": st.sampled_from(([[0, 1]], 3, [0.0, math.nan], [math.inf, 1.0])),
    "label_dtype": _not_dtypes | st.just(tf.float32),
    "major_share": not_numbers(least=0.5, most=1),
    "max_samples_per_client": but_none(not_counts()),
    "mean": not_numbers(),
    "min_partition_size": not_integers(0) | st.just(201),
    "num_classes_per_client": st.sampled_from((None, 3, [], "12")),
    "number": not_integers(1, most=3),
    "options": st.sampled_from((3, [], "num_clients")),
    "p": not_numbers(least=0, most=1),
    "pixels": st.sampled_from((None, "unit", 255.0)),
    "regression": but_none(not_truth_values()),
    "seed": not_seeds(),
    "shape": but_none(not_shapes()),
    "sizes": st.sampled_from(([-1], [0.5], [math.nan], ["3"], 3, None, [[1]], [True])),
    "symbol_dtype": _not_dtypes | st.sampled_from((tf.float32, tf.string)),
    "test": st.sampled_from(({}, "test")),
    "train": _not_clients,
    "x": not_counts() | st.just(11),
}

_IMAGES = {"image_shape": (28, 28), "num_classes": 10, "seed": 0}
_NOWHERE = {"data_dir": "nowhere"}
_FEW = {"num_clients": 4, "seed": 0}
_SOME = {"samples_per_client": 5, "seed": 0}
_TOO_MANY_CLIENTS = {"num_clients": not_counts() | st.just(401)}
_CLASSES_OR_NONE = {"num_classes": but_none(not_counts())}
_FLAT = {"image_shape": not_shapes()}
_PIXELS = {"pixels": not_choices()}
_LEAF_DIR = {"leaf_dir": but_none(not_texts())}
_NAME = {"name": not_texts() | st.just("nothing")}

# What is called, with what, and which arguments must not be something else than their name says.
_ON_LABELS = {
    "classes_per_client": ({"num_clients": 2, "seed": 0}, {}),
    "dirichlet": ({"num_partitions": 2, "alpha": 1.0, "seed": 0}, {"alpha": not_numbers(0)}),
    "entropy_skew": (
        {"num_clients": 10, "num_samples": 100, "seed": 0},
        {"num_samples": not_counts() | st.sampled_from((9, 101))},
    ),
    "iid": (_FEW, _TOO_MANY_CLIENTS),
    "single_label": (_FEW, _TOO_MANY_CLIENTS),
    "half_iid_half_single_label": (_FEW, _TOO_MANY_CLIENTS),
    "major_minor": ({"num_clients": 4, "samples_per_client": 20, "seed": 0}, {}),
    "power_law_two_class": (
        *({"num_clients": 10, "seed": 0}, {"num_clients": not_counts() | st.just(11)}),
    ),
    "x_class": ({"num_iid": 1, "num_non_iid": 1, "x": 1, **_SOME}, {}),
    "random_classes": ({"num_classes_per_client": [1], **_SOME}, {}),
    "general_case_1": (_SOME, {}),
    "general_case_2": (_SOME, {}),
}
_MODELS = {
    **_all((_IMAGES, {}), "fed_adp_cnn", "fed_adp_cnn_unpadded", "fed_veca_cnn", "le_net"),
    **_all((_IMAGES, _FLAT), "image_logistic_regression", "perceptron"),
    "squared_svm": ({"image_shape": (28, 28), "seed": 0}, {}),
    "logistic_regression": ({"num_features": 3, "num_classes": 2, "seed": 0}, {}),
    "next_character_lstm": ({"num_symbols": 3, "window_size": 2, "seed": 0}, {}),
    "sentiment_lstm": ({"vocabulary_size": 3, "num_tokens": 2, "seed": 0}, {}),
}


def _owners():
    for name, (arguments, other) in _ON_LABELS.items():
        yield name, getattr(partitioners, name), {"labels": _LABELS, **arguments}, other
    for name, (arguments, other) in _MODELS.items():
        yield name, getattr(models, name), arguments, other
    for build, arguments, other in (
        (
            partitioners.train_test_split,
            *({"partitions": [np.arange(4)], "train_fraction": 0.5, "seed": 0}, {}),
        ),
        (
            pixels.PixelScaling,
            {"mean": 0.0, "deviation": 1.0},
            {
                "mean": st.sampled_from(("1", None, math.nan, True)),
                "deviation": st.sampled_from(("1", None, math.nan, math.inf, 0.0, -1.0)),
            },
        ),
        (pixels.one_for_all, {"mean": 0.0, "deviation": 1.0}, {}),
        (synthetic, {}, _all(not_numbers(least=0, most=1e6), "alpha", "beta")),
        (
            synthetic_dirichlet,
            {"concentration": 1.0},
            {"concentration": not_numbers(least=1e-4, most=1e6)},
        ),
        (random_stream, {"purpose": "a test"}, {}),
        (sampling.draw_at_most, *({"partitions": [np.arange(3)], "num_samples": 5, "seed": 0}, {})),
        (
            sampling.sample_clients,
            {"sizes": [3, 4], "num_samples": 5, "seed": 0},
            {"num_clients": but_none(not_counts())},
        ),
        (
            FederatedDataset,
            {"name": "two", "train": _CLIENTS, "test": _CLIENTS},
            {**_CLASSES_OR_NONE, "test": _not_clients, "seed": but_none(not_seeds())},
        ),
        (DocumentedStatistics, {"num_clients": 1, "num_samples": 1}, {}),
        (
            leaf_data.from_arrays,
            {"x": np.zeros([4, 2]), "y": [0, 1, 0, 1], "client": [0, 0, 1, 1]},
            _CLASSES_OR_NONE,
        ),
        (leaf_data.from_frame, {}, {}),
        (leaf_data.from_client_data, {"train": _CLIENTS}, {}),
        (read_leaf_json, {"leaf_dir": "nowhere"}, _CLASSES_OR_NONE),
        (as_numbers, {"dataset": _DATASET}, {}),
        (write_leaf_json, {"dataset": _DATASET, "leaf_dir": "nowhere"}, {}),
        (registry.load, {"name": "synthetic_1_1"}, {**_NAME, **_LEAF_DIR}),
        (leaf_data.load_task, {"name": "synthetic_1_1"}, {**_NAME, "model": but_none(not_texts())}),
        (leaf_data.as_task, {"dataset": _DATASET}, {"model": not_texts()}),
        (mnist.mnist, _NOWHERE, _PIXELS),
        (femnist.femnist, _NOWHERE, {}),
        (leaf_femnist.leaf_femnist, {}, _LEAF_DIR),
        (fed_adp.x_class, {"images": "mnist", **_NOWHERE}, {"x": not_counts(), **_PIXELS}),
        (fed_adp.mnist_mixed_classes, _NOWHERE, _PIXELS),
        (fed_adp.mnist_general_case, {"case": 1, **_NOWHERE}, _PIXELS),
        (fed_cav.mnist_major_minor, _NOWHERE, {"samples_per_client": not_integers(10)}),
        (fed_veca.case, {"images": "mnist", "number": 1, **_NOWHERE}, {}),
        (
            wei_avg.entropy,
            {"images": "mnist", "num_samples": 100, **_NOWHERE},
            {"num_samples": not_counts() | st.sampled_from((99, 101))},
        ),
        (shakespeare.shakespeare, _NOWHERE, {}),
        (shakespeare.leaf_shakespeare, _NOWHERE, {}),
        (sent140, _NOWHERE, {}),
        (leaf_sent140, _NOWHERE, {}),
    ):
        yield f"{build.__module__.rpartition('.')[2]}.{build.__name__}", build, arguments, other


_OWNERS = {name: owner for name, *owner in _owners()}
# Arrays, functions, what others check, and what is only kept.
_NOT_CHECKED_HERE = {
    *("partitions", "y", "client", "is_test", "word_vectors", "clients"),
    *("documented", "origin", "purpose", "index", "label", "features"),
    *("data_seed", "_client_index"),
}
# Arrays or names of fields, or passed on to `load`, which checks them.
_NOT_CHECKED_BY = {
    leaf_data.from_arrays: {"x"},
    leaf_data.from_client_data: {"x"},
    leaf_data.load_task: {"data_dir", "leaf_dir", "options", "prepared_dir"},
}


@pytest.mark.parametrize("owner", _OWNERS)
@settings(max_examples=15)
@given(data=st.data())
def test_what_must_not_be_given_is_refused_by_name(owner, data):
    """A name without a strategy is an argument that was forgotten."""
    build, arguments, other = _OWNERS[owner]
    left_out = _NOT_CHECKED_HERE | _NOT_CHECKED_BY.get(build, set())
    for name, parameter in inspect.signature(build).parameters.items():
        if name in left_out or parameter.kind is parameter.VAR_KEYWORD:
            continue
        value = data.draw({**_BY_NAME, **other}[name], label=name)
        with pytest.raises(ValueError, match=f"^({name}|name) ") as error:
            build(**{**arguments, name: value})
        assert len(str(error.value).splitlines()) == 1
        assert not isinstance(error.value, DataError)


def test_no_function_is_forgotten():
    """Nothing is left out but an error, a record and `drop_untested`, which takes arrays alone."""
    public = {*leaf_data.__all__, *models.__all__, *partitioners.__all__}
    assert public - {name.rpartition(".")[2] for name in _OWNERS} == {
        *("DataError", "Task", "drop_untested")
    }
