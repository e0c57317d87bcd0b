"""Tests of `experiments.command_line.shared_flags`, in the binaries that have its flags."""

from __future__ import annotations

import shutil

import numpy as np
import pytest


@pytest.mark.long
def test_a_prepared_data_set_serves_all_binaries(run, run_each, tmp_path):
    """Described once, it is trained on without raw data; damaged, it is refused."""
    prepared, damaged = tmp_path / "prepared", tmp_path / "damaged"
    raw = tmp_path / "mnist.npz"
    images = np.arange(60 * 28 * 28).reshape(60, 28, 28).astype(np.uint8)
    labels = np.arange(60, dtype=np.uint8) % 10
    np.savez(raw, train_x=images, train_y=labels, test_x=images[:9], test_y=labels[:9])
    data = ["--dataset=mnist_case_1", "--dataset_option=num_clients=2", f"--data_dir={tmp_path}"]
    common = [*data, f"--prepared_dir={prepared}"]
    first = run("describe", *common)
    assert (first.status, first.errors) == (0, "")
    raw.unlink()
    shutil.copytree(prepared, damaged)
    (path,) = damaged.glob("*/test.sqlite")
    path.write_bytes(path.read_bytes()[:-1])
    again, refused = run_each("describe", [common, [*data, f"--prepared_dir={damaged}"]])
    assert again == first
    assert (refused.status, refused.output) == (2, "")
    (sentence,) = refused.errors.splitlines()
    assert f"{path}: differs from its checksum" in sentence
    trained = run(
        "train",
        "--algorithm=fed_avg",
        "--rounds=1",
        "--clients_per_round=2",
        "--steps=1",
        f"--output_dir={tmp_path / 'run'}",
        *common,
    )
    assert trained.status == 0, trained.errors
