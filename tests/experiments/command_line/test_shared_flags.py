"""Tests of `experiments.command_line.shared_flags`, in the binaries that have its flags."""

from __future__ import annotations

import numpy as np


def test_a_prepared_data_set_serves_all_programs(run, tmp_path, monkeypatch):
    """Described once, it is trained on without raw data; damaged, it is refused. ~ is a home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    raw = tmp_path / "mnist.npz"
    images = np.arange(60 * 28 * 28).reshape(60, 28, 28).astype(np.uint8)
    labels = np.arange(60, dtype=np.uint8) % 10
    np.savez(raw, train_x=images, train_y=labels, test_x=images[:9], test_y=labels[:9])
    data = ("--dataset=mnist_case_1", "--dataset_option=num_clients=2", "--data_dir=~")
    data = (*data, "--prepared_dir=~/prepared")
    first = run("describe", *data)
    assert first.status == 0, first
    raw.unlink()
    assert run("describe", *data) == first
    small = ("--rounds=1", "--clients_per_round=2", "--steps=1")
    trained = run("train", "--algorithm=fed_avg", "--output_dir=~/run", *small, *data)
    assert trained.status == 0, trained.errors
    assert (tmp_path / "run" / "manifest.json").exists()
    (path,) = tmp_path.glob("prepared/*/test.sqlite")
    path.write_bytes(path.read_bytes()[:-1])
    refused = run("describe", *data)
    assert (refused.status, refused.output) == (2, "")
    assert f"{path}: differs from its checksum" in refused.errors
