"""Tests of the binary `experiments.export`."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest
import tensorflow as tf

from experiments.runs import training
from experiments.runs.configure import configure
from leaf_data import load_task

_TEST = load_task("synthetic_1_1").dataset.test.arrays


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A run of 2 rounds, of logistic regression."""
    folder = tmp_path_factory.mktemp("export") / "run"
    configuration = configure("fed_avg", "synthetic_1_1", {"rounds": 2, "learning_rate": 0.01})
    training.prepare(configuration, folder).execute(show_progress=False)
    return folder


def _share_right(logits):
    return np.mean(np.argmax(logits, axis=1) == _TEST["y"])


@pytest.mark.parametrize("which", ["last", "best"])
def test_what_is_written_predicts_as_the_run_did(run_each, run_folder, tmp_path, which):
    """The share of all examples that are right is the run's, weighted by the clients' sizes."""
    flags = (f"{run_folder}", f"--which={which}")
    ended = run_each(
        "export",
        [
            (*flags, f"--output={tmp_path / 'network'}"),
            (*flags, "--format=npz", f"--output={tmp_path / 'weights.npz'}"),
        ],
    )
    said = json.loads((run_folder / "models" / f"{which}.json").read_text())
    for one in ended:
        assert (one.status, one.errors) == (0, "")
        assert f"round {said['round']}" in one.output
    network = tf.saved_model.load(str(tmp_path / "network"))
    predicted = network.predict(_TEST["x"]).numpy()
    with np.load(tmp_path / "weights.npz") as weights:
        kernel, bias = weights["trainable_0"], weights["trainable_1"]
    np.testing.assert_allclose(predicted, _TEST["x"] @ kernel + bias, atol=1e-4)
    if which == "last":
        result = json.loads((run_folder / "result.json").read_text())
        assert said["round"] == 2
        assert 100 * _share_right(predicted) == pytest.approx(
            result["test_weighted_average"], abs=0.01
        )


_NETWORK = """
import tensorflow as tf

def build(dataset):
    layers = [tf.keras.layers.Flatten(input_shape=[60]), tf.keras.layers.Dropout(0.5)]
    return tf.keras.Sequential([*layers, tf.keras.layers.Dense(dataset.num_classes)])
"""


def test_a_model_made_in_keras_is_one_again(run, tmp_path, monkeypatch):
    """Trained by the program, and not in this process, which has imported TensorFlow before."""
    (tmp_path / "my_network.py").write_text(_NETWORK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    trained = run(
        "train",
        "--algorithm=fed_avg",
        "--dataset=synthetic_1_1",
        "--model=my_network:build",
        "--learning_rate=0.01",
        "--rounds=1",
        f"--output_dir={tmp_path / 'run'}",
    )
    assert trained.status == 0, trained.errors
    file = tmp_path / "network.keras"
    ended = run("export", "--format=keras", f"{tmp_path / 'run'}", f"--output={file}")
    assert (ended.status, ended.errors) == (0, "")
    predicted = tf.keras.models.load_model(file).predict(_TEST["x"], verbose=0)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert 100 * _share_right(predicted) == pytest.approx(result["test_weighted_average"], abs=0.01)


def test_models_of_clients_that_trained_alone(run_each, tmp_path):
    """All as one file of arrays; or that of one client, which is among them."""
    given = {"rounds": 1, "epochs": 1, "learning_rate": 0.01, "clients_per_round": 30}
    training.prepare(configure("trained_alone", "synthetic_1_1", given), tmp_path / "run").execute(
        show_progress=False
    )
    client_id = load_task("synthetic_1_1").dataset.client_ids[3]
    npz = (f"{tmp_path / 'run'}", "--format=npz")
    of_all, of_one, neither = run_each(
        "export", [npz, (*npz, f"--client={client_id}"), (f"{tmp_path / 'run'}",)]
    )
    assert (of_all.status, of_one.status, neither.status) == (0, 0, 2)
    assert "--client must be one of" in neither.errors
    folder = tmp_path / "run" / "exported"
    with np.load(folder / "last.npz") as models, np.load(folder / f"last-{client_id}.npz") as one:
        assert len(models.files) == 30 * len(one.files)
        for name in one.files:
            np.testing.assert_array_equal(one[name], models[f"{client_id}/{name}"])


def test_bad_input_is_one_sentence(run_each, run_folder, tmp_path):
    damaged, empty, unfinished = (tmp_path / name for name in ("damaged", "empty", "unfinished"))
    for copy in (damaged, unfinished):
        shutil.copytree(run_folder, copy)
    (damaged / "models" / "last.npz").write_bytes(b"")
    (unfinished / "manifest.json").unlink()
    empty.mkdir()
    output = f"--output={tmp_path / 'out'}"
    for ended in run_each(
        "export",
        [
            (output,),
            (f"{run_folder}", f"{run_folder}", output),
            (f"{run_folder}", "--client=nobody", output),
            (f"{damaged}", output),
            (f"{empty}", output),
            (f"{unfinished}", output),
            (f"{run_folder}", f"--output={empty}"),
            (f"{run_folder}", "--format=npz", output),
            (f"{run_folder}", "--format=keras", f"{output}.keras"),
        ],
    ):
        assert (ended.status, ended.output) == (2, "")
        assert len(ended.errors.splitlines()) == 1
    assert not (tmp_path / "out").exists()
