"""What data sets, and what is made of them, must not be given."""

from __future__ import annotations

import math

import numpy as np
from refused_values import (
    NO_CHOICES,
    NOT_COUNTS,
    NOT_FRACTIONS,
    NOT_NAMES,
    NOT_NUMBERS,
    NOT_PATHS,
    NOT_PIXELS,
    NOT_SEEDS,
    NOT_SHAPES,
    NOT_TRUTH,
    NOT_WHOLE,
    or_none,
)

import leaf_data
from leaf_data import registry, sampling, shakespeare
from leaf_data.client_data import ArrayClientData
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

_CLIENTS = ArrayClientData({"a": {"x": np.zeros([2, 3], np.float32), "y": np.array([0, 1])}})
_DATASET = FederatedDataset("two", _CLIENTS, _CLIENTS, num_classes=2)
NOWHERE = {"data_dir": "nowhere"}
OF_FILES = {"data_dir": NOT_PATHS, "seed": NOT_SEEDS}

# From an argument's owner to what it is called with, and to what must not be given.
REFUSED = {
    "synthetic": (
        synthetic,
        {},
        {
            "alpha": (*NOT_NUMBERS, -1),
            "beta": (*NOT_NUMBERS, -1),
            "num_clients": NOT_COUNTS,
            "seed": NOT_SEEDS,
            "train_fraction": NOT_FRACTIONS,
            "iid": NOT_TRUTH,
            "num_features": NOT_COUNTS,
            "num_classes": (*NOT_COUNTS, 1),
        },
    ),
    "synthetic_dirichlet": (
        synthetic_dirichlet,
        {"concentration": 1.0},
        {
            "concentration": (*NOT_NUMBERS, -1, 0),
            "num_clients": NOT_COUNTS,
            "seed": NOT_SEEDS,
            "train_fraction": NOT_FRACTIONS,
            "num_features": NOT_COUNTS,
            "num_classes": (*NOT_COUNTS, 1),
        },
    ),
    "random_stream": (random_stream, {"purpose": "a test"}, {"seed": NOT_SEEDS}),
    "draw_at_most": (
        sampling.draw_at_most,
        {"partitions": [np.arange(3)], "num_samples": 5, "seed": 0},
        {"num_samples": NOT_COUNTS, "seed": NOT_SEEDS},
    ),
    "sample_clients": (
        sampling.sample_clients,
        {"sizes": [3, 4], "num_samples": 5, "seed": 0},
        {
            "sizes": ([-1], [0.5], [math.nan], ["3"], 3, None, [[1]], [True]),
            "num_samples": NOT_COUNTS,
            "seed": NOT_SEEDS,
            "num_clients": or_none(NOT_COUNTS),
        },
    ),
    # Data sets, and what is made of them.
    "FederatedDataset": (
        FederatedDataset,
        {"name": "two", "train": _CLIENTS, "test": _CLIENTS},
        {
            "name": (*NOT_NAMES, None),
            "train": (None, {}, "train"),
            "test": (None, {}, "test"),
            "seed": or_none(NOT_SEEDS),
            "num_classes": or_none(NOT_COUNTS),
            "pixels": NOT_PIXELS,
        },
    ),
    "DocumentedStatistics": (
        DocumentedStatistics,
        {"num_clients": 1, "num_samples": 1},
        {
            "num_clients": NOT_COUNTS,
            "num_samples": NOT_COUNTS,
            "mean_samples_per_client": (*or_none(NOT_NUMBERS), -1),
            "stdev_samples_per_client": (*or_none(NOT_NUMBERS), -1),
        },
    ),
    "from_arrays": (
        leaf_data.from_arrays,
        {"x": np.zeros([4, 2]), "y": [0, 1, 0, 1], "client": [0, 0, 1, 1]},
        {
            "train_fraction": NOT_FRACTIONS,
            "seed": NOT_SEEDS,
            "num_classes": or_none(NOT_COUNTS),
            "name": (*NOT_NAMES, None),
            "pixels": NOT_PIXELS,
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
            "leaf_dir": (*NOT_PATHS, None),
            "name": (*NOT_NAMES, None),
            "num_classes": or_none(NOT_COUNTS),
            "shape": or_none(NOT_SHAPES),
        },
    ),
    "as_numbers": (
        as_numbers,
        {"dataset": _DATASET},
        {"dataset": (None, _CLIENTS), "embeddings": (*NO_CHOICES, "glove:")},
    ),
    "write_leaf_json": (
        write_leaf_json,
        {"dataset": _DATASET, "leaf_dir": "nowhere"},
        {"dataset": (None, _CLIENTS), "leaf_dir": (*NOT_PATHS, None), "convert": (None, 3)},
    ),
    "load": (
        registry.load,
        {"name": "synthetic_1_1"},
        {
            "name": (*NOT_NAMES, None, "nothing"),
            "seed": NOT_SEEDS,
            "data_dir": NOT_PATHS,
            "leaf_dir": (*NOT_PATHS, "nowhere"),
            "options": (3, [], "num_clients"),
            "prepared_dir": NOT_PATHS,
        },
    ),
    "load_task": (
        leaf_data.load_task,
        {"name": "synthetic_1_1"},
        {"name": (*NOT_NAMES, None, "nothing"), "model": (*NOT_NAMES, "nothing")},
    ),
    "as_task": (
        leaf_data.as_task,
        {"dataset": _DATASET},
        {"dataset": (None, _CLIENTS), "model": (*NOT_NAMES, None, "nothing")},
    ),
    # Those that are read from files: before anything is.
    "mnist": (
        mnist.mnist,
        NOWHERE,
        {
            **OF_FILES,
            "num_clients": NOT_COUNTS,
            "sigma": (*NOT_NUMBERS, -1),
            "train_fraction": NOT_FRACTIONS,
            "pixels": NO_CHOICES,
        },
    ),
    "femnist": (
        femnist.femnist,
        NOWHERE,
        {
            **OF_FILES,
            "num_clients": NOT_COUNTS,
            "classes_per_client": NOT_COUNTS,
            "train_fraction": NOT_FRACTIONS,
            "ink": NO_CHOICES,
            "letters": NO_CHOICES,
            "hand_out_all": NOT_TRUTH,
        },
    ),
    "leaf_femnist": (leaf_femnist.leaf_femnist, {}, {"data_dir": NOT_PATHS, "leaf_dir": (3, "")}),
    "fed_adp.x_class": (
        fed_adp.x_class,
        {"images": "mnist", **NOWHERE},
        {
            **OF_FILES,
            "images": NO_CHOICES,
            "num_iid": NOT_WHOLE,
            "num_non_iid": NOT_WHOLE,
            "x": NOT_COUNTS,
            "samples_per_client": NOT_COUNTS,
            "pixels": NO_CHOICES,
        },
    ),
    "mnist_mixed_classes": (
        fed_adp.mnist_mixed_classes,
        NOWHERE,
        {
            **OF_FILES,
            "num_iid": NOT_WHOLE,
            "num_one_class": NOT_WHOLE,
            "num_two_class": NOT_WHOLE,
            "samples_per_client": NOT_COUNTS,
            "pixels": NO_CHOICES,
        },
    ),
    "mnist_general_case": (
        fed_adp.mnist_general_case,
        {"case": 1, **NOWHERE},
        {
            **OF_FILES,
            "case": (0, 3, True, 1.0, "1", None),
            "samples_per_client": NOT_COUNTS,
            "pixels": NO_CHOICES,
        },
    ),
    "mnist_major_minor": (
        fed_cav.mnist_major_minor,
        NOWHERE,
        {
            **OF_FILES,
            "num_clients": NOT_COUNTS,
            "samples_per_client": NOT_COUNTS,
            "stdev": (*NOT_NUMBERS, -1),
            "major_share": (*NOT_NUMBERS, 0.4, 1.1),
        },
    ),
    "fed_veca.case": (
        fed_veca.case,
        {"images": "mnist", "number": 1, **NOWHERE},
        {
            **OF_FILES,
            "images": NO_CHOICES,
            "number": (0, 4, True, 1.0, "1", None),
            "num_clients": NOT_COUNTS,
        },
    ),
    "wei_avg.entropy": (
        wei_avg.entropy,
        {"images": "mnist", "num_samples": 100, **NOWHERE},
        {
            **OF_FILES,
            "images": NO_CHOICES,
            "num_clients": NOT_COUNTS,
            "num_samples": (*NOT_COUNTS, 99),
            "p": (*NOT_NUMBERS, -0.1, 1.1),
            "skew": NO_CHOICES,
            "per_client": NOT_TRUTH,
        },
    ),
    "shakespeare": (
        shakespeare.shakespeare,
        NOWHERE,
        {
            **OF_FILES,
            "train_fraction": NOT_FRACTIONS,
            "max_samples_per_client": or_none(NOT_COUNTS),
            "edition": NO_CHOICES,
        },
    ),
    "leaf_shakespeare": (
        shakespeare.leaf_shakespeare,
        NOWHERE,
        {
            "data_dir": NOT_PATHS,
            "train_fraction": NOT_FRACTIONS,
            "leaf_split": NOT_TRUTH,
            "edition": NO_CHOICES,
        },
    ),
    "sent140": (
        sent140,
        NOWHERE,
        {
            **OF_FILES,
            "embeddings": (*NO_CHOICES, "glove:"),
            "min_tweets_per_account": NOT_COUNTS,
            "sample_fraction": NOT_FRACTIONS,
            "train_fraction": NOT_FRACTIONS,
        },
    ),
    "leaf_sent140": (
        leaf_sent140,
        NOWHERE,
        {
            **OF_FILES,
            "embeddings": (*NO_CHOICES, "glove:"),
            "train_fraction": NOT_FRACTIONS,
            "leaf_split": NOT_TRUTH,
        },
    ),
}
