from __future__ import annotations

import pytest

from experiments.command_line.setting_flags import dataset_options


@pytest.mark.parametrize(
    ("dataset", "given", "options"),
    [
        ("synthetic_1_1", [], {}),
        (
            "synthetic_1_1",
            ["num_clients=3", "train_fraction=0.5"],
            {"num_clients": 3, "train_fraction": 0.5},
        ),
        ("mnist", ["sigma=2"], {"sigma": 2.0}),
        ("leaf_sent140", ["leaf_split=yes"], {"leaf_split": True}),
        ("leaf_shakespeare", ["leaf_split=False"], {"leaf_split": False}),
        ("leaf_sent140", ["embeddings=glove:a=b.txt"], {"embeddings": "glove:a=b.txt"}),
    ],
)
def test_options_have_the_type_of_their_defaults(dataset, given, options):
    parsed = dataset_options(dataset, given)
    assert parsed == options
    assert [type(value) for value in parsed.values()] == [type(options[name]) for name in parsed]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["num_clients"], "dataset_option is 'num_clients'; it must be name=value"),
        (["users=3"], "dataset_option is 'users=3'; .* synthetic_1_1 has num_clients"),
        (["num_clients=x"], "num_clients is 'x'; it must be an integer, as its default 30 is"),
        (["num_clients=2.0"], "num_clients is '2.0'; it must be an integer"),
        (["train_fraction=nan"], "train_fraction is 'nan'; it must be a finite number"),
        (["num_clients=2", "num_clients=3"], "num_clients is given twice"),
    ],
)
def test_bad_options_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        dataset_options("synthetic_1_1", given)


def test_what_is_neither_yes_nor_no_is_refused():
    with pytest.raises(ValueError, match="leaf_split is '1'; it must be yes or no, as its default"):
        dataset_options("leaf_sent140", ["leaf_split=1"])


def test_a_data_set_without_options():
    with pytest.raises(ValueError, match="leaf_femnist has no options"):
        dataset_options("leaf_femnist", ["a=1"])
