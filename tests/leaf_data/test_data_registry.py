"""Tests of `leaf_data.registry`."""

import numpy as np
import pytest

from leaf_data import registry
from leaf_data.errors import DataError


def test_options_and_their_defaults():
    """What the name says, as `iid`, is none."""
    of_synthetic = {"num_clients": 30, "train_fraction": 0.8, "num_features": 60, "num_classes": 10}
    assert registry.options("synthetic_iid") == registry.options("synthetic_1_1") == of_synthetic
    assert registry.options("leaf") == {"shape": "", "embeddings": "", "images": ""}
    dataset = registry.load("synthetic_1_1", options={"num_clients": 3, "train_fraction": 1})
    assert dataset.num_clients == 3
    assert dataset.test.num_examples.sum() == 0


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("synthetic", {}, "name is 'synthetic'; it must be one of synthetic_iid, .*"),
        ("leaf", {}, "leaf_dir is None"),
        ("synthetic_1_1", {"leaf_dir": "folder"}, "leaf_dir is 'folder'; only"),
        ("leaf", {"leaf_dir": "x", "options": {"a": 1}}, "'a'; data set 'leaf' has 'shape'"),
        ("synthetic_iid", {"options": {"iid": False}}, "'iid'; data set 'synthetic_iid' has 'num"),
        ("synthetic_0_0", {"options": {"num_clients": "3"}}, "is '3'; .* type of its default 30"),
        ("synthetic_0_0", {"options": {"num_clients": True}}, "options.'num_clients'. is True"),
    ],
)
def test_bad_names_and_options_are_refused(name, arguments, message):
    with pytest.raises(ValueError, match=message):
        registry.load(name, **arguments)


def test_a_function_of_ones_own_is_checked(tmp_path, monkeypatch):
    """What it needs, that it is one, and what it returns; its source is part of a prepared copy."""
    (tmp_path / "own_sets.py").write_text(
        "import leaf_data\n"
        "def load(count, seed=0):\n"
        "    y = [0, 1] * count\n"
        "    x = [[label + seed] for label in y]\n"
        "    return leaf_data.from_arrays(x, y, [0] * len(y), name='own_set')\n"
        "def load_none(): pass\n"
        "NUMBER = 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match="options lacks 'count', which the data set 'own_sets:lo"):
        registry.load("own_sets:load")
    with pytest.raises(ValueError, match="'own_sets:NUMBER' is a int; it must be a function"):
        registry.load("own_sets:NUMBER")
    with pytest.raises(ValueError, match="'own_sets:load_none' returned a NoneType; it must be a"):
        registry.load("own_sets:load_none")
    arguments = {"options": {"count": 4}, "prepared_dir": str(tmp_path / "prepared")}
    first, again = (registry.load("own_sets:load", **arguments) for _ in range(2))
    assert first.name == again.name == "own_set"
    np.testing.assert_array_equal(first.train.arrays["x"], again.train.arrays["x"])


_READ = [name for name in registry.names() if "synthetic" not in name and name != "leaf"]


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", _READ)
def test_missing_data_is_one_sentence(name, tmp_path):
    """It names the files that would do, and the flag for their folder."""
    sentence = (
        rf"^data set '{name}': there is no .*{tmp_path}.* cannot be had .* with --data_dir\.$"
    )
    with pytest.raises(DataError, match=sentence):
        registry.load(name, data_dir=str(tmp_path))
