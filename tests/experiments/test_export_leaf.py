"""Tests of the binary `experiments.export_leaf`."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from experiments.export_options import export_options
from leaf_data.leaf_json import read_leaf_json
from leaf_data.synthetic import synthetic

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def _run(*flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "experiments.export_leaf", *flags],
        cwd=_REPOSITORY,
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_what_is_written_reads_back(tmp_path):
    result = _run(
        "--dataset=synthetic_1_1",
        "--option=num_clients=3",
        "--data_seed=5",
        f"--leaf_dir={tmp_path / 'out'}",
    )
    assert result.returncode == 0, result.stderr
    assert "3 clients with" in result.stdout
    expected = synthetic(1.0, 1.0, num_clients=3, seed=5)
    read = read_leaf_json(tmp_path / "out")
    assert read.client_ids == expected.client_ids
    for split in ("train", "test"):
        of_file, of_dataset = getattr(read, split).arrays, getattr(expected, split).arrays
        np.testing.assert_array_equal(of_file["x"], of_dataset["x"])
        np.testing.assert_array_equal(of_file["y"], of_dataset["y"])
    written = json.loads((tmp_path / "out" / "test" / "synthetic_1_1_test.json").read_text())
    assert list(written) == ["users", "num_samples", "user_data"]


def test_bad_input_is_one_sentence(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    result = _run("--dataset=synthetic_1_1", f"--leaf_dir={tmp_path / 'full'}")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    sentence = result.stderr.strip().splitlines()[-1]
    assert "exists already" in sentence


@pytest.mark.parametrize(
    ("dataset", "given", "options"),
    [
        ("synthetic_1_1", [], {}),
        (
            "synthetic_1_1",
            ["num_clients=3", "train_fraction=0.5"],
            {"num_clients": 3, "train_fraction": 0.5},
        ),
        (
            "sent140",
            ["min_tweets_per_account=2"],
            {"embeddings": "none", "min_tweets_per_account": 2},
        ),
        ("leaf_sent140", ["embeddings=learned"], {"embeddings": "learned"}),
    ],
)
def test_options_have_the_type_of_their_defaults(dataset, given, options):
    assert export_options(dataset, given) == options


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("num_clients", "option is 'num_clients'; it must be name=value"),
        ("users=3", "option is 'users=3'; .* synthetic_1_1 has num_clients"),
        ("num_clients=x", "option num_clients is 'x'; it must be of the type of its default 30"),
    ],
)
def test_bad_options_are_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        export_options("synthetic_1_1", [setting])
