"""What the partitioners must not be given."""

from __future__ import annotations

import numpy as np
from refused_values import (
    NO_CHOICES,
    NOT_COUNTS,
    NOT_FRACTIONS,
    NOT_NUMBERS,
    NOT_SEEDS,
    NOT_TRUTH,
    NOT_WHOLE,
)

from leaf_data import partitioners

# From an argument's owner to what it is called with, and to what must not be given.
REFUSED = {
    "classes_per_client": (
        partitioners.classes_per_client,
        {"num_clients": 2, "seed": 0},
        {
            "num_clients": NOT_COUNTS,
            "classes_per_client": (*NOT_COUNTS, 11),
            "hand_out_all": NOT_TRUTH,
            "seed": NOT_SEEDS,
        },
    ),
    "dirichlet": (
        partitioners.dirichlet,
        {"num_partitions": 2, "alpha": 1.0, "seed": 0},
        {
            "num_partitions": NOT_COUNTS,
            "alpha": (*NOT_NUMBERS, -1, 0),
            "min_partition_size": (*NOT_WHOLE, 201),
            "seed": NOT_SEEDS,
        },
    ),
    "entropy_skew": (
        partitioners.entropy_skew,
        {"num_clients": 10, "num_samples": 100, "seed": 0},
        {
            "num_clients": NOT_COUNTS,
            "num_samples": (*NOT_COUNTS, 9, 101),
            "p": (*NOT_NUMBERS, -0.1, 1.1),
            "skew": NO_CHOICES,
            "per_client": NOT_TRUTH,
            "seed": NOT_SEEDS,
        },
    ),
    **{
        name: (
            getattr(partitioners, name),
            {"num_clients": 4, "seed": 0},
            {"num_clients": (*NOT_COUNTS, 401), "seed": NOT_SEEDS},
        )
        for name in ("iid", "single_label", "half_iid_half_single_label")
    },
    "major_minor": (
        partitioners.major_minor,
        {"num_clients": 4, "samples_per_client": 20, "seed": 0},
        {
            "num_clients": NOT_COUNTS,
            "samples_per_client": NOT_COUNTS,
            "stdev": (*NOT_NUMBERS, -1),
            "major_share": (*NOT_NUMBERS, 0.4, 1.1),
            "seed": NOT_SEEDS,
        },
    ),
    "power_law_two_class": (
        partitioners.power_law_two_class,
        {"num_clients": 10, "seed": 0},
        {
            "num_clients": (*NOT_COUNTS, 11),
            "sigma": (*NOT_NUMBERS, -1),
            "seed": NOT_SEEDS,
        },
    ),
    "train_test_split": (
        lambda labels, **given: partitioners.train_test_split([np.arange(4)], **given),
        {"train_fraction": 0.5, "seed": 0},
        {"train_fraction": NOT_FRACTIONS, "seed": NOT_SEEDS},
    ),
    "x_class": (
        partitioners.x_class,
        {"num_iid": 1, "num_non_iid": 1, "x": 1, "samples_per_client": 5, "seed": 0},
        {
            "num_iid": NOT_WHOLE,
            "num_non_iid": NOT_WHOLE,
            "x": (*NOT_COUNTS, 11),
            "samples_per_client": NOT_COUNTS,
            "seed": NOT_SEEDS,
        },
    ),
    "random_classes": (
        partitioners.random_classes,
        {"num_classes_per_client": [1], "samples_per_client": 5, "seed": 0},
        {
            "num_classes_per_client": (None, 3, [], "12"),
            "samples_per_client": NOT_COUNTS,
            "seed": NOT_SEEDS,
        },
    ),
    "general_case_1": (
        partitioners.general_case_1,
        {"samples_per_client": 5, "seed": 0},
        {"samples_per_client": NOT_COUNTS, "seed": NOT_SEEDS},
    ),
    "general_case_2": (
        partitioners.general_case_2,
        {"samples_per_client": 5, "seed": 0},
        {"num_clients": NOT_COUNTS, "samples_per_client": NOT_COUNTS, "seed": NOT_SEEDS},
    ),
}
