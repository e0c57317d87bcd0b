"""Tests of `leaf_data.tasks`."""

import image_files
import leaf_files
import numpy as np
import pytest

from leaf_data import registry
from leaf_data.models.by_name import MODELS
from leaf_data.tasks import load_task


def _write_leaf(folder, x):
    clients = {"u": (x.tolist(), [0, 1][: len(x)])}
    leaf_files.write_leaf(folder, clients, clients)


@pytest.mark.parametrize("shape", [(28, 28), (784,)])
def test_leaf_json_of_images_takes_the_models_of_images(tmp_path, shape):
    """As nested lists, and as LEAF writes them: flat, and the option makes images of them."""
    images = np.random.default_rng(0).uniform(size=(2, 28, 28)).astype(np.float32)
    _write_leaf(tmp_path, images.reshape(2, *shape))
    options = {"shape": "28x28"} if len(shape) == 1 else {}
    task = load_task("leaf", model="le_net", leaf_dir=str(tmp_path), options=options)
    found = task.dataset.train.examples("u")
    np.testing.assert_array_equal(found["x"], images)
    model = task.build_model(0)
    logits = model.predict_on_batch(model.initial_weights, found["x"])
    assert np.isfinite(model.loss(logits, found["y"]))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("28x29", r"x is numbers of the shape \(784,\); shape \(28, 29\) must be of as many"),
        ("28by28", "shape is '28by28'; it must be sizes with an x between, such as 28x28"),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(tmp_path, shape, message):
    _write_leaf(tmp_path, np.zeros((2, 784)))
    with pytest.raises(ValueError, match=message):
        load_task("leaf", leaf_dir=str(tmp_path), options={"shape": shape})


# One data set for each list of models.
_SMALL_OPTIONS = {"synthetic_1_1": {"num_clients": 3}, **image_files.SMALL_OPTIONS}
_OTHER_MODELS = {tuple(registry.models(name)): name for name in _SMALL_OPTIONS}


@pytest.mark.parametrize("name", _OTHER_MODELS.values())
def test_every_model_of_a_data_set_takes_its_examples(name, small_images):
    """The seed of the model is not the data's."""
    given = {"data_dir": small_images, "options": _SMALL_OPTIONS[name], "data_seed": 1}
    for model_name in registry.models(name):
        task = load_task(name, model=model_name, **given)
        assert (task.name, task.dataset.seed) == (name, 1)
        batches = task.dataset.train.create_tf_dataset_for_client("f_00000").batch(4)
        model = task.build_model(0)
        assert model.input_spec._asdict() == batches.element_spec
        batch = next(iter(batches))
        predictions = model.predict_on_batch(model.initial_weights, batch["x"])
        assert task.correct_fn(predictions, batch["y"]).shape == batch["y"].shape
        assert np.isfinite(model.loss(predictions, batch["y"]))
        small = ("logistic_regression", "image_logistic_regression", "squared_svm")
        assert task.compile_with_xla == (model_name in small)


def test_every_data_set_has_a_model():
    for name in registry.names():
        assert registry.models(name)
        assert set(registry.models(name)) <= set(MODELS)
    assert {model for name in registry.names() for model in registry.models(name)} == set(MODELS)
    message = "model is 'le_net'; for data set 'synthetic_1_1' it must be one of logis"
    with pytest.raises(ValueError, match=message):
        load_task("synthetic_1_1", model="le_net")
