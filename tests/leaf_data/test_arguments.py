"""Every argument of `leaf_data` given what it must not be: one sentence that names it, at once.

An argument that is added without a check is found by one of these tests. Arrays of examples have
their own tests, beside what reads them.
"""

from __future__ import annotations

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
_no_whole_number = not_integers(0)

# What an argument of this name must not be, wherever it is.
_BY_NAME = {
    "case": not_integers(1, most=2),
    "classes_per_client": not_counts(),
    "convert": st.sampled_from((None, 3)),
    "data_dir": but_none(not_texts()),
    "dataset": _not_datasets,
    "deviation": not_numbers(0),
    "edition": not_choices(),
    "embedding_size": not_counts(),
    "embeddings": not_choices() | st.just("glove:"),
    "feature_dtype": _not_dtypes,
    "frame": st.sampled_from((None, {}, np.zeros([2, 2]))),
    "hand_out_all": not_truth_values(),
    "iid": not_truth_values(),
    "image_shape": not_shapes((2, 3)),
    "images": not_choices(),
    "ink": not_choices(),
    "label_dtype": _not_dtypes | st.just(tf.float32),
    "leaf_dir": not_texts(),
    "leaf_split": not_truth_values(),
    "letters": not_choices(),
    "l2_strength": not_numbers(least=0),
    "major_share": not_numbers(least=0.5, most=1),
    "max_samples_per_client": but_none(not_counts()),
    "mean": not_numbers(),
    "min_partition_size": _no_whole_number | st.just(201),
    "min_tweets_per_account": not_counts(),
    "name": not_texts(),
    "num_classes": not_integers(2),
    "num_classes_per_client": st.sampled_from((None, 3, [], "12")),
    "num_clients": not_counts(),
    "num_features": not_counts(),
    "num_hidden": not_counts(),
    "num_iid": _no_whole_number,
    "num_non_iid": _no_whole_number,
    "num_one_class": _no_whole_number,
    "num_partitions": not_counts(),
    "num_samples": not_counts(),
    "num_symbols": not_integers(2),
    "num_tokens": not_counts(),
    "num_two_class": _no_whole_number,
    "num_units": not_counts(),
    "number": not_integers(1, most=3),
    "options": st.sampled_from((3, [], "num_clients")),
    "p": not_numbers(least=0, most=1),
    "per_client": not_truth_values(),
    "pixel_dtype": _not_dtypes,
    "pixels": st.sampled_from((None, "unit", 255.0)),
    "prepared_dir": but_none(not_texts()),
    "sample_fraction": not_fractions(),
    "samples_per_client": not_counts(),
    "regression": but_none(not_truth_values()),
    "seed": not_seeds(),
    "shape": but_none(not_shapes()),
    "sigma": not_numbers(least=0),
    "sizes": st.sampled_from(([-1], [0.5], [math.nan], ["3"], 3, None, [[1]], [True])),
    "skew": not_choices(),
    "stdev": not_numbers(least=0),
    "symbol_dtype": _not_dtypes | st.sampled_from((tf.float32, tf.string)),
    "test": st.sampled_from(({}, "test")),
    "train": _not_clients,
    "train_fraction": not_fractions(),
    "vocabulary_size": not_integers(2),
    "window_size": not_counts(),
    "x": not_counts() | st.just(11),
}
_BY_NAME.update(
    mean_samples_per_client=but_none(not_numbers(least=0)),
    stdev_samples_per_client=but_none(not_numbers(least=0)),
)

_IMAGES = {"image_shape": (28, 28), "num_classes": 10, "seed": 0}
_NOWHERE = {"data_dir": "nowhere"}
_FEW = {"num_clients": 4, "seed": 0}
_SOME = {"samples_per_client": 5, "seed": 0}
_CLASSES_OR_NONE = {"num_classes": but_none(not_counts())}
_FLAT = {"image_shape": not_shapes()}

# What is called, with what, and which arguments must not be something else than their name says.
_ON_LABELS = {
    "classes_per_client": ({"num_clients": 2, "seed": 0}, {}),
    "dirichlet": ({"num_partitions": 2, "alpha": 1.0, "seed": 0}, {"alpha": not_numbers(0)}),
    "entropy_skew": (
        {"num_clients": 10, "num_samples": 100, "seed": 0},
        {"num_samples": not_counts() | st.sampled_from((9, 101))},
    ),
    "iid": (_FEW, {"num_clients": not_counts() | st.just(401)}),
    "single_label": (_FEW, {"num_clients": not_counts() | st.just(401)}),
    "half_iid_half_single_label": (_FEW, {"num_clients": not_counts() | st.just(401)}),
    "major_minor": ({"num_clients": 4, "samples_per_client": 20, "seed": 0}, {}),
    "power_law_two_class": (
        {"num_clients": 10, "seed": 0},
        {"num_clients": not_counts() | st.just(11)},
    ),
    "x_class": ({"num_iid": 1, "num_non_iid": 1, "x": 1, **_SOME}, {}),
    "random_classes": ({"num_classes_per_client": [1], **_SOME}, {}),
    "general_case_1": (_SOME, {}),
    "general_case_2": (_SOME, {}),
}
_OWNERS = {
    **{
        name: (getattr(partitioners, name), {"labels": _LABELS, **arguments}, other)
        for name, (arguments, other) in _ON_LABELS.items()
    },
    **{
        name: (getattr(models, name), _IMAGES, {})
        for name in ("fed_adp_cnn", "fed_adp_cnn_unpadded", "fed_veca_cnn", "le_net")
    },
    "image_logistic_regression": (models.image_logistic_regression, _IMAGES, _FLAT),
    "perceptron": (models.perceptron, _IMAGES, _FLAT),
    "squared_svm": (models.squared_svm, {"image_shape": (28, 28), "seed": 0}, {}),
    "logistic_regression": (
        models.logistic_regression,
        {"num_features": 3, "num_classes": 2, "seed": 0},
        {},
    ),
    "next_character_lstm": (
        models.next_character_lstm,
        {"num_symbols": 3, "window_size": 2, "seed": 0},
        {},
    ),
    "sentiment_lstm": (
        models.sentiment_lstm,
        {"vocabulary_size": 3, "num_tokens": 2, "seed": 0},
        {},
    ),
    "train_test_split": (
        partitioners.train_test_split,
        {"partitions": [np.arange(4)], "train_fraction": 0.5, "seed": 0},
        {},
    ),
    "PixelScaling": (
        pixels.PixelScaling,
        {"mean": 0.0, "deviation": 1.0},
        {
            "mean": st.sampled_from(("1", None, math.nan, True)),
            "deviation": st.sampled_from(("1", None, math.nan, 0.0, -1.0)),
        },
    ),
    "one_for_all": (pixels.one_for_all, {"mean": 0.0, "deviation": 1.0}, {}),
    "synthetic": (
        synthetic,
        {},
        {"alpha": not_numbers(least=0), "beta": not_numbers(least=0)},
    ),
    "synthetic_dirichlet": (
        synthetic_dirichlet,
        {"concentration": 1.0},
        {"concentration": not_numbers(0)},
    ),
    "random_stream": (random_stream, {"purpose": "a test"}, {}),
    "draw_at_most": (
        sampling.draw_at_most,
        {"partitions": [np.arange(3)], "num_samples": 5, "seed": 0},
        {},
    ),
    "sample_clients": (
        sampling.sample_clients,
        {"sizes": [3, 4], "num_samples": 5, "seed": 0},
        {"num_clients": but_none(not_counts())},
    ),
    "FederatedDataset": (
        FederatedDataset,
        {"name": "two", "train": _CLIENTS, "test": _CLIENTS},
        {**_CLASSES_OR_NONE, "test": _not_clients, "seed": but_none(not_seeds())},
    ),
    "DocumentedStatistics": (DocumentedStatistics, {"num_clients": 1, "num_samples": 1}, {}),
    "from_arrays": (
        leaf_data.from_arrays,
        {"x": np.zeros([4, 2]), "y": [0, 1, 0, 1], "client": [0, 0, 1, 1]},
        _CLASSES_OR_NONE,
    ),
    "from_frame": (leaf_data.from_frame, {}, {}),
    "from_client_data": (leaf_data.from_client_data, {"train": _CLIENTS}, {}),
    "read_leaf_json": (read_leaf_json, {"leaf_dir": "nowhere"}, _CLASSES_OR_NONE),
    "as_numbers": (as_numbers, {"dataset": _DATASET}, {}),
    "write_leaf_json": (write_leaf_json, {"dataset": _DATASET, "leaf_dir": "nowhere"}, {}),
    "load": (
        registry.load,
        {"name": "synthetic_1_1"},
        {"name": not_texts() | st.just("nothing"), "leaf_dir": but_none(not_texts())},
    ),
    "load_task": (
        leaf_data.load_task,
        {"name": "synthetic_1_1"},
        {"name": not_texts() | st.just("nothing"), "model": but_none(not_texts())},
    ),
    "as_task": (leaf_data.as_task, {"dataset": _DATASET}, {"model": not_texts()}),
    "mnist": (mnist.mnist, _NOWHERE, {"pixels": not_choices()}),
    "femnist": (femnist.femnist, _NOWHERE, {}),
    "leaf_femnist": (leaf_femnist.leaf_femnist, {}, {"leaf_dir": but_none(not_texts())}),
    "fed_adp.x_class": (
        fed_adp.x_class,
        {"images": "mnist", **_NOWHERE},
        {"x": not_counts(), "pixels": not_choices()},
    ),
    "mnist_mixed_classes": (fed_adp.mnist_mixed_classes, _NOWHERE, {"pixels": not_choices()}),
    "mnist_general_case": (
        fed_adp.mnist_general_case,
        {"case": 1, **_NOWHERE},
        {"pixels": not_choices()},
    ),
    "mnist_major_minor": (fed_cav.mnist_major_minor, _NOWHERE, {}),
    "fed_veca.case": (fed_veca.case, {"images": "mnist", "number": 1, **_NOWHERE}, {}),
    "wei_avg.entropy": (
        wei_avg.entropy,
        {"images": "mnist", "num_samples": 100, **_NOWHERE},
        {"num_samples": not_counts() | st.just(99)},
    ),
    "shakespeare": (shakespeare.shakespeare, _NOWHERE, {}),
    "leaf_shakespeare": (shakespeare.leaf_shakespeare, _NOWHERE, {}),
    "sent140": (sent140, _NOWHERE, {}),
    "leaf_sent140": (leaf_sent140, _NOWHERE, {}),
}
# Arrays, functions, what others check, and what is only kept.
_NOT_CHECKED_HERE = {
    *("labels", "partitions", "y", "client", "is_test", "word_vectors", "clients"),
    *("documented", "origin", "purpose", "index", "label", "features"),
    *("data_seed", "_client_index"),
}
# Arrays or names of fields, or passed on to `load`, which checks them.
_NOT_CHECKED_BY = {
    "from_arrays": {"x"},
    "from_client_data": {"x"},
    "load_task": {"data_dir", "leaf_dir", "options", "prepared_dir"},
}


def _cases():
    """One for each argument; a name without a strategy is an argument that was forgotten."""
    for owner, (build, _, other) in _OWNERS.items():
        left_out = _NOT_CHECKED_HERE | _NOT_CHECKED_BY.get(owner, set())
        for name, parameter in inspect.signature(build).parameters.items():
            if name not in left_out and parameter.kind is not parameter.VAR_KEYWORD:
                refused = {**_BY_NAME, **other}[name]
                yield pytest.param(owner, name, refused, id=f"{owner}, {name}")


@pytest.mark.parametrize(("owner", "name", "refused"), [*_cases()])
@settings(max_examples=20)
@given(data=st.data())
def test_what_must_not_be_given_is_refused_by_name(owner, name, refused, data):
    build, arguments, _ = _OWNERS[owner]
    value = data.draw(refused)
    with pytest.raises(ValueError, match=f"^({name}|name) ") as error:
        build(**{**arguments, name: value})
    assert len(str(error.value).splitlines()) == 1
    assert not isinstance(error.value, DataError)


def test_no_function_is_forgotten():
    """Nothing is left out but an error, a record and `drop_untested`, which takes arrays alone."""
    public = {*leaf_data.__all__, *models.__all__, *partitioners.__all__}
    assert public - set(_OWNERS) == {"DataError", "Task", "drop_untested"}


@pytest.mark.parametrize("labels", [[[0, 1]], 3, [0.0, math.nan], [math.inf, 1.0]])
@pytest.mark.parametrize("owner", _ON_LABELS)
def test_labels_that_are_none_are_refused(owner, labels):
    build, arguments, _ = _OWNERS[owner]
    with pytest.raises(ValueError, match="labels"):
        build(**{**arguments, "labels": labels})
