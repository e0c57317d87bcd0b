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
    ("dataset", "given", "message"),
    [
        ("synthetic_1_1", ["users=3"], "'users=3'; .* synthetic_1_1 has num_clients"),
        ("synthetic_1_1", ["num_clients=x"], "num_clients is 'x'; it must be an integer, as its"),
        ("leaf_sent140", ["leaf_split=1"], "leaf_split is '1'; it must be yes or no, as its def"),
        ("leaf_femnist", ["a=1"], "leaf_femnist has no options"),
    ],
)
def test_bad_options_are_refused(dataset, given, message):
    with pytest.raises(ValueError, match=message):
        dataset_options(dataset, given)
