"""Tests of the binary `experiments.export_leaf`."""

from __future__ import annotations

import json

import numpy as np

from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.synthetic import synthetic


def test_what_is_written_reads_back_and_nothing_is_written_over(run_each, tmp_path):
    synthetic_1_1 = ("--dataset=synthetic_1_1", f"--leaf_dir={tmp_path / 'out'}")
    ended, again = run_each(
        "export_leaf",
        [(*synthetic_1_1, "--dataset_option=num_clients=3", "--data_seed=5"), synthetic_1_1],
    )
    assert (ended.status, ended.errors) == (0, "")
    assert (again.status, again.output) == (2, "")
    (sentence,) = again.errors.splitlines()
    assert "exists already" in sentence
    assert "3 clients with" in ended.output
    expected = synthetic(1.0, 1.0, num_clients=3, seed=5)
    read = read_leaf_json(tmp_path / "out")
    assert read.client_ids == expected.client_ids
    for split in ("train", "test"):
        of_file, of_dataset = getattr(read, split).arrays, getattr(expected, split).arrays
        np.testing.assert_array_equal(of_file["x"], of_dataset["x"])
        np.testing.assert_array_equal(of_file["y"], of_dataset["y"])
    written = json.loads((tmp_path / "out" / "test" / "synthetic_1_1_test.json").read_text())
    assert list(written) == ["users", "num_samples", "user_data"]
