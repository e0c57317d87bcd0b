"""Tests of the program `experiments.export`."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest
import tensorflow as tf
from made_runs import small_run, train

from leaf_data import load_task

_DATASET = load_task("synthetic_1_1", options={"num_clients": 5}).dataset
_TEST = _DATASET.test.arrays
_CLIENT = _DATASET.client_ids[3]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of 2 rounds, of logistic regression, and one round of clients alone."""
    path = tmp_path_factory.mktemp("export")
    given = {"num_clients": 5, "clients_per_round": 5, "learning_rate": 0.01, "epochs": 1}
    train(path / "run", small_run(**given))
    train(path / "alone", small_run("trained_alone", **given, rounds=1))
    for copy in ("damaged", "unfinished"):
        shutil.copytree(path / "run", path / copy)
    (path / "damaged" / "models" / "last.npz").write_bytes(b"")
    (path / "unfinished" / "manifest.json").unlink()
    (path / "empty").mkdir()
    return path


def _share_right(logits):
    return np.mean(np.argmax(logits, axis=1) == _TEST["y"])


def test_the_model_of_the_last_evaluation_can_be_the_best(run, folder):
    """The last model is evaluated even if its round is not."""
    path = shutil.copytree(folder / "run", folder / "evaluated")
    of_last, of_best = (path / "models" / f"{which}.json" for which in ("last", "best"))
    of_last.write_text(json.dumps(json.loads(of_last.read_text()) | {"test_average": 99.0}))
    of_best.write_text(json.dumps(json.loads(of_best.read_text()) | {"round": 1}))
    ended = run("export", f"{path}", "--which=best", "--format=npz")
    assert ended.output.startswith("The best model, of round 2 (average test accuracy 99.00 %)")
    assert _weights(path / "exported" / "best.npz") == _weights(path / "models" / "last.npz")
    (path / "models" / "last.npz").unlink()
    flags = (f"{path}", "--which=best", "--format=npz", f"--output={path / 'again.npz'}")
    assert run("export", *flags).status == 0
    assert _weights(path / "again.npz") == _weights(path / "models" / "best.npz")
    (path / "models" / "best.npz").write_bytes(b"")
    ended = run("export", *flags[:-1], f"--output={path / 'damaged.npz'}")
    assert (ended.status, "best.npz is damaged" in ended.errors) == (2, True), ended


def _weights(path):
    with np.load(path) as arrays:
        return {name: arrays[name].tolist() for name in arrays.files}


@pytest.mark.parametrize("which", ["last", "best"])
def test_what_is_written_predicts_as_the_run_did(run, folder, which):
    """The share of all examples that are right is the run's, weighted by the clients' sizes."""
    path = folder / "run"
    said = json.loads((path / "models" / f"{which}.json").read_text())
    for flags in ((), ("--format=npz", f"--output={folder / which}.npz")):
        ended = run("export", f"{path}", f"--which={which}", *flags)
        assert (ended.status, ended.errors) == (0, "")
        assert f"round {said['round']}" in ended.output
    network = tf.saved_model.load(str(path / "exported" / which))
    predicted = network.predict(_TEST["x"]).numpy()
    with np.load(folder / f"{which}.npz") as weights:
        kernel, bias = weights["trainable_0"], weights["trainable_1"]
    np.testing.assert_allclose(predicted, _TEST["x"] @ kernel + bias, atol=1e-4)
    if which == "last":
        result = json.loads((path / "result.json").read_text())
        assert said["round"] == 2
        assert 100 * _share_right(predicted) == pytest.approx(
            result["test_weighted_average"], abs=0.01
        )


def test_models_of_clients_that_trained_alone(run_each, folder):
    """All as one file of arrays; or that of one client, which is among them."""
    all_models = (f"{folder / 'alone'}", "--format=npz")
    ends = run_each("export", [all_models, (*all_models, f"--client={_CLIENT}")])
    assert [end.status for end in ends] == [0, 0], ends
    exported = folder / "alone" / "exported"
    with np.load(exported / "last.npz") as models, np.load(exported / f"last-{_CLIENT}.npz") as one:
        assert len(models.files) == 5 * len(one.files)
        for name in one.files:
            np.testing.assert_array_equal(one[name], models[f"{_CLIENT}/{name}"])


@pytest.mark.parametrize(
    "flags",
    [
        *("{0}/alone", "{0}/alone --client=nobody", "", "{0}/run --client=nobody"),
        *("{0}/damaged", "{0}/empty", "{0}/unfinished", "{0}/run --output={0}/empty"),
        *("{0}/run --format=npz", "{0}/run --format=keras --output={0}/out.keras"),
    ],
)
def test_bad_input_is_one_sentence(run, folder, flags):
    ended = run("export", f"--output={folder / 'out'}", *flags.format(folder).split())
    assert (ended.status, ended.output) == (2, ""), ended
    assert len(ended.errors.splitlines()) == 1
    assert ("--client must be one of" in ended.errors) is ("alone" in flags)
    assert not (folder / "out").exists()


_NETWORK = """
import tensorflow as tf

def build(dataset):
    layers = [tf.keras.layers.Flatten(input_shape=[60]), tf.keras.layers.Dropout(0.5)]
    return tf.keras.Sequential([*layers, tf.keras.layers.Dense(dataset.num_classes)])
"""


@pytest.mark.long
def test_a_model_made_in_keras_is_one_again(run, start, tmp_path, monkeypatch):
    """Trained by the program, and not in this process, which has imported TensorFlow before."""
    (tmp_path / "my_network.py").write_text(_NETWORK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    flags = ("--algorithm=fed_avg", "--model=my_network:build", "--learning_rate=0.01")
    flags = (*flags, "--rounds=1", "--epochs=1", "--clients_per_round=5")
    flags = (*flags, "--dataset_option=num_clients=5", f"--output_dir={tmp_path / 'run'}")
    trained = start("train", *flags).finish()
    assert trained.status == 0, trained.errors
    file = tmp_path / "network.keras"
    ended = run("export", "--format=keras", f"{tmp_path / 'run'}", f"--output={file}")
    assert (ended.status, ended.errors) == (0, "")
    predicted = tf.keras.models.load_model(file).predict(_TEST["x"], verbose=0)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert 100 * _share_right(predicted) == pytest.approx(result["test_weighted_average"], abs=0.01)
