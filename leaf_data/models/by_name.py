"""The models by name: how each is built for a data set. A new one is one entry in `MODELS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models import classification
from leaf_data.models.convolutional import fed_adp_cnn, fed_veca_cnn
from leaf_data.models.image_logistic_regression import image_logistic_regression
from leaf_data.models.le_net import le_net
from leaf_data.models.logistic_regression import logistic_regression
from leaf_data.models.next_character_lstm import next_character_lstm
from leaf_data.models.sentiment_lstm import sentiment_lstm
from leaf_data.models.squared_svm import correct_parity, squared_svm
from leaf_data.sent140 import TweetDataset


@dataclasses.dataclass(frozen=True)
class ModelDefinition:
    """A model that data sets are trained with.

    Attributes:
        build: From a data set and a seed of the initial weights to a new model; raises `DataError`
            where the data set's elements do not fit.
        correct_fn: As in `tasks.Task`.
        compile_with_xla: As in `tasks.Task`.
    """

    build: Callable[[FederatedDataset, int], tff.learning.models.FunctionalModel]
    correct_fn: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] = classification.correct
    compile_with_xla: bool = False


def _logistic_regression(
    dataset: FederatedDataset, seed: int
) -> tff.learning.models.FunctionalModel:
    """MLR on vectors of features, and on LEAF's JSON of that form."""
    spec = dataset.train.element_type_structure
    x, y = spec["x"], spec["y"]
    if x.dtype == tf.string or x.shape.rank != 1 or dataset.num_classes is None:
        raise DataError(
            f"data set {dataset.name!r} has the elements {dict(spec)}; logistic regression needs x"
            " to be a vector of numbers and y a class index."
        )
    return logistic_regression(
        num_features=x.shape[0],
        num_classes=max(dataset.num_classes, 2),
        seed=seed,
        feature_dtype=x.dtype,
        label_dtype=y.dtype,
    )


def _next_character_lstm(
    dataset: FederatedDataset, seed: int
) -> tff.learning.models.FunctionalModel:
    """The LSTM on windows of symbols."""
    x = dataset.train.element_type_structure["x"]
    if x.dtype != tf.uint8 or x.shape.rank != 1 or dataset.num_classes is None:
        raise DataError(
            f"data set {dataset.name!r} has the features {x}; the LSTM needs windows of symbols."
        )
    return next_character_lstm(num_symbols=dataset.num_classes, window_size=x.shape[0], seed=seed)


def _sentiment_lstm(dataset: FederatedDataset, seed: int) -> tff.learning.models.FunctionalModel:
    """The LSTM on the numbers of words."""
    if not isinstance(dataset, TweetDataset) or dataset.vocabulary is None:
        raise DataError(
            f"data set {dataset.name!r} has no vocabulary; the LSTM needs words with numbers."
        )
    return sentiment_lstm(
        vocabulary_size=dataset.vocabulary.size,
        num_tokens=dataset.train.element_type_structure["x"].shape[0],
        word_vectors=dataset.vocabulary.vectors,
        seed=seed,
    )


def _on_images(
    build: Callable[..., tff.learning.models.FunctionalModel],
) -> Callable[[FederatedDataset, int], tff.learning.models.FunctionalModel]:
    """A model that is built from the images' shape, their scaling, and the number of classes."""

    def build_for(dataset: FederatedDataset, seed: int) -> tff.learning.models.FunctionalModel:
        image_shape = tuple(dataset.train.element_type_structure["x"].shape)
        return build(
            image_shape=image_shape,
            num_classes=dataset.num_classes,
            seed=seed,
            pixels=dataset.pixels,
        )

    return build_for


def _squared_svm(dataset: FederatedDataset, seed: int) -> tff.learning.models.FunctionalModel:
    image_shape = tuple(dataset.train.element_type_structure["x"].shape)
    return squared_svm(image_shape=image_shape, seed=seed, pixels=dataset.pixels)


MODELS = {
    "fed_adp_cnn": ModelDefinition(_on_images(fed_adp_cnn)),
    "fed_veca_cnn": ModelDefinition(_on_images(fed_veca_cnn)),
    "image_logistic_regression": ModelDefinition(
        _on_images(image_logistic_regression), compile_with_xla=True
    ),
    "le_net": ModelDefinition(_on_images(le_net)),
    "squared_svm": ModelDefinition(_squared_svm, correct_fn=correct_parity, compile_with_xla=True),
    "logistic_regression": ModelDefinition(_logistic_regression, compile_with_xla=True),
    "next_character_lstm": ModelDefinition(_next_character_lstm),
    "sentiment_lstm": ModelDefinition(_sentiment_lstm),
}
