"""The models by name, and how each is built for a data set. A new one is one entry in `MODELS`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.client_data import ArrayClientData
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models import classification
from leaf_data.models.convolutional import fed_adp_cnn, fed_adp_cnn_unpadded, fed_veca_cnn
from leaf_data.models.image_logistic_regression import image_logistic_regression
from leaf_data.models.le_net import le_net
from leaf_data.models.logistic_regression import logistic_regression
from leaf_data.models.next_character_lstm import next_character_lstm
from leaf_data.models.perceptron import perceptron
from leaf_data.models.sentiment_lstm import sentiment_lstm
from leaf_data.models.squared_svm import correct_parity, squared_svm
from leaf_data.pixels import AS_THEY_ARE
from leaf_data.sent140 import TweetDataset


@dataclasses.dataclass(frozen=True)
class ModelDefinition:
    """A model that data sets are trained with.

    Attributes:
        build: From a data set and a seed of the initial weights to a new model. It raises
            `DataError` if the data set's elements do not fit.
        correct_fn: As in `tasks.Task`.
        compile_with_xla: As in `tasks.Task`.
    """

    build: Callable[[FederatedDataset, int], tff.learning.models.FunctionalModel]
    correct_fn: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] | None = classification.correct
    compile_with_xla: bool = False


def _logistic_regression(
    dataset: FederatedDataset, seed: int
) -> tff.learning.models.FunctionalModel:
    """MLR on features of any shape; for images in bytes, on their scaled pixels."""
    x, y = _numbers(dataset, "logistic regression needs x to be numbers and y a class index")
    if x.shape.rank > 1:
        return _on_images(image_logistic_regression, ranks=None)(dataset, seed)
    return logistic_regression(
        num_features=x.shape[0],
        num_classes=_num_classes(dataset),
        seed=seed,
        feature_dtype=x.dtype,
        label_dtype=y.dtype,
    )


def _numbers(dataset: FederatedDataset, needs: str) -> tuple[tf.TensorSpec, tf.TensorSpec]:
    """The specs of x and y of a data set of numbers with class indices.

    Raises:
        DataError: If it is none.
    """
    spec = dataset.train.element_type_structure
    x, y = spec["x"], spec["y"]
    if isinstance(dataset, TweetDataset) or dataset.alphabet is not None:
        kind, model = (
            ("words", "sentiment_lstm")
            if dataset.alphabet is None
            else ("characters", "next_character_lstm")
        )
        raise DataError(
            f"data set {dataset.name!r} is text, in {kind}; the model for it is {model}"
            f" (--model={model})."
        )
    if x.dtype == tf.string or x.shape.rank == 0 or dataset.num_classes is None:
        raise DataError(f"data set {dataset.name!r} has the elements {dict(spec)}; {needs}.")
    return x, y


def _num_classes(dataset: FederatedDataset) -> int:
    """At least 2, even if only one class has examples."""
    return max(dataset.num_classes or 0, 2)


def _next_character_lstm(
    dataset: FederatedDataset, seed: int
) -> tff.learning.models.FunctionalModel:
    """The LSTM on windows of symbols."""
    x = dataset.train.element_type_structure["x"]
    is_text = isinstance(dataset, TweetDataset)  # Its integers are numbers of words.
    if is_text or not x.dtype.is_integer or x.shape.rank != 1 or dataset.num_classes is None:
        raise DataError(
            f"data set {dataset.name!r} has the features {x}; the LSTM needs windows of symbols, as"
            " integers."
        )
    if isinstance(dataset.train, ArrayClientData):
        symbols = dataset.train.arrays["x"]
        if symbols.size and not 0 <= symbols.min() <= symbols.max() < dataset.num_classes:
            raise DataError(
                f"data set {dataset.name!r} has symbols from {symbols.min()} to {symbols.max()} in"
                f" x; the LSTM predicts them, so they must be in 0..{dataset.num_classes - 1}:"
                " raise num_classes."
            )
    return next_character_lstm(
        num_symbols=dataset.num_classes, window_size=x.shape[0], seed=seed, symbol_dtype=x.dtype
    )


def _sentiment_lstm(dataset: FederatedDataset, seed: int) -> tff.learning.models.FunctionalModel:
    """The LSTM on the numbers of words."""
    if not isinstance(dataset, TweetDataset) or dataset.vocabulary is None:
        raise DataError(
            f"data set {dataset.name!r} has no vocabulary; the LSTM needs words with numbers."
        )
    return sentiment_lstm(
        vocabulary_size=dataset.vocabulary.size,
        num_classes=_num_classes(dataset),
        num_tokens=dataset.train.element_type_structure["x"].shape[0],
        word_vectors=dataset.vocabulary.vectors,
        seed=seed,
    )


def _on_images(
    build: Callable[..., tff.learning.models.FunctionalModel],
    *,
    ranks: tuple[int, ...] | None = (2, 3),
) -> Callable[[FederatedDataset, int], tff.learning.models.FunctionalModel]:
    """A model that is built from the images' shape, their scaling, and the number of classes."""
    takes_classes = "num_classes" in inspect.signature(build).parameters

    def build_for(dataset: FederatedDataset, seed: int) -> tff.learning.models.FunctionalModel:
        x, _ = _numbers(dataset, "the model needs images and class indices")
        if ranks is not None and x.shape.rank not in ranks:
            raise DataError(
                f"data set {dataset.name!r} has x of the shape {tuple(x.shape)}; the model needs"
                " images, (height, width) or (height, width, channels)"
                " (for flat lists in LEAF's JSON, give the option shape=28x28)."
            )
        arguments: dict[str, Any] = {"num_classes": _num_classes(dataset)} if takes_classes else {}
        if x.dtype != tf.uint8:  # The features are numbers already.
            arguments["pixel_dtype"] = x.dtype
        try:
            return build(
                image_shape=tuple(x.shape),
                seed=seed,
                # Bytes without height and width are numbers like others.
                pixels=dataset.pixels if x.dtype == tf.uint8 and x.shape.rank > 1 else AS_THEY_ARE,
                **arguments,
            )
        except ValueError as error:
            raise DataError(f"data set {dataset.name!r}: {error}") from error

    return build_for


# The first model is the default of users' data sets, since it takes numbers of any shape.
MODELS = {
    "logistic_regression": ModelDefinition(_logistic_regression, compile_with_xla=True),
    "fed_adp_cnn": ModelDefinition(_on_images(fed_adp_cnn)),
    "fed_adp_cnn_unpadded": ModelDefinition(_on_images(fed_adp_cnn_unpadded)),
    "fed_veca_cnn": ModelDefinition(_on_images(fed_veca_cnn)),
    "image_logistic_regression": ModelDefinition(
        _on_images(image_logistic_regression), compile_with_xla=True
    ),
    "le_net": ModelDefinition(_on_images(le_net)),
    "perceptron": ModelDefinition(_on_images(perceptron, ranks=None)),
    "squared_svm": ModelDefinition(
        _on_images(squared_svm), correct_fn=correct_parity, compile_with_xla=True
    ),
    "next_character_lstm": ModelDefinition(_next_character_lstm),
    "sentiment_lstm": ModelDefinition(_sentiment_lstm),
}
