"""A page of examples: what a data set's images, texts or vectors look like."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from leaf_data.client_data import client_examples, num_examples_per_client
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.sent140 import TweetDataset
from leaf_data.shakespeare.alphabet import to_text

_NUM_CLIENTS = 8
_IMAGES_PER_CLIENT = 10
_TEXTS_PER_CLIENT = 3
_VECTORS_PER_CLIENT = 5
_LONGEST_TEXT = 150
_LONGEST_NAME = 24
# The channels of images that can be drawn: gray, colours, colours and opacity.
_CHANNELS = (1, 3, 4)


def draw_samples(dataset: FederatedDataset) -> Figure:
    """Draws the first training examples of a few clients, with their labels.

    The clients are the first, the last and some at equal distances in between. Images are drawn as
    such: white is 255, or the largest value if they are not bytes. Shakespeare's windows and tweets
    are drawn as text, and everything else as a row of colours.
    """
    x = dataset.train.element_type_structure["x"]
    texts = _texts_of(dataset)
    if texts is not None:
        figure = _draw_texts(dataset, texts)
    elif x.shape.rank == 2 or (x.shape.rank == 3 and x.shape[2] in _CHANNELS):
        figure = _draw_images(dataset)
    else:
        figure = _draw_vectors(dataset)
    figure.suptitle(f"{dataset.name}: training examples of {len(_chosen(dataset))} clients")
    return figure


def _chosen(dataset: FederatedDataset) -> list[str]:
    """The ids of the clients on the page; all of them have training examples."""
    counts = num_examples_per_client(dataset.train)
    client_ids = list(itertools.compress(dataset.client_ids, counts))
    places = np.linspace(0, len(client_ids) - 1, min(_NUM_CLIENTS, len(client_ids)))
    return [client_ids[place] for place in places.astype(int)]


def _first_examples(dataset: FederatedDataset, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields `(client_id, the first examples)` of each client on the page."""
    for client_id in _chosen(dataset):
        examples = client_examples(dataset.train, client_id)
        yield client_id, {field: array[:count] for field, array in examples.items()}


def _texts_of(dataset: FederatedDataset) -> Callable[[Any], str] | None:
    """The function from an example's `x` to its text, if it stands for text."""
    x = dataset.train.element_type_structure["x"]
    if isinstance(dataset, TweetDataset) and dataset.vocabulary is not None:
        words = ("·", *dataset.vocabulary.words)
        return lambda numbers: " ".join(words[number] for number in numbers)
    if x.dtype.name == "string":
        return lambda texts: " | ".join(text.decode("utf-8", "replace") for text in np.ravel(texts))
    if dataset.alphabet is not None:
        return functools.partial(to_text, alphabet=dataset.alphabet)
    return None


def _draw_images(dataset: FederatedDataset) -> Any:
    clients = list(_first_examples(dataset, _IMAGES_PER_CLIENT))
    least, most = 0.0, 255.0
    if dataset.train.element_type_structure["x"].dtype.name != "uint8":
        images = [examples["x"] for _, examples in clients if len(examples["x"])]
        least, most = (float(edge(list(map(edge, images)))) for edge in (np.min, np.max))
    size = (_IMAGES_PER_CLIENT, 1.25 * len(clients))
    figure, axes = plt.subplots(
        len(clients), _IMAGES_PER_CLIENT, figsize=size, squeeze=False, layout="constrained"
    )
    for row, (client_id, examples) in zip(axes, clients):
        for axis in row:
            axis.axis("off")
        for axis, image, label in zip(row, examples["x"], examples["y"]):
            shown = (image - least) / ((most - least) or 1.0)
            axis.imshow(shown, cmap="gray", vmin=0, vmax=1)
            axis.set_title(str(label), fontsize=7, pad=2)
        place = {"ha": "right", "va": "center", "transform": row[0].transAxes}
        row[0].text(-0.1, 0.5, _name(client_id), rotation=90, fontsize=7, **place)
    return figure


def _draw_texts(dataset: FederatedDataset, text_of: Callable[[Any], str]) -> Any:
    lines = []
    for client_id, examples in _first_examples(dataset, _TEXTS_PER_CLIENT):
        lines.append(client_id)
        for x, y in zip(examples["x"], examples["y"]):
            text = text_of(x).replace("\n", "\\n")
            lines.append(f"    {_label(dataset, y)}  {text[:_LONGEST_TEXT]}")
    longest = max(len(line) for line in lines)
    size = (0.067 * longest + 0.3, 0.14 * len(lines) + 0.5)
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    axis.axis("off")
    font: dict[str, Any] = {"family": "monospace", "fontsize": 8, "parse_math": False}
    axis.text(0.0, 1.0, "\n".join(lines), va="top", transform=axis.transAxes, **font)
    return figure


def _draw_vectors(dataset: FederatedDataset) -> Any:
    vectors: list[npt.NDArray[Any]] = []
    names: list[str] = []
    for client_id, examples in _first_examples(dataset, _VECTORS_PER_CLIENT):
        vectors.extend(examples["x"])
        names.extend(f"{_name(client_id)}: {label}" for label in examples["y"])
    features = np.stack(vectors).reshape(len(vectors), -1)
    largest = float(np.abs(features).max()) or 1.0
    figure, axis = plt.subplots(figsize=(9, 0.16 * len(names) + 1.2), layout="constrained")
    image = axis.imshow(
        features, aspect="auto", interpolation="nearest", cmap="RdBu", vmin=-largest, vmax=largest
    )
    axis.set_yticks(range(len(names)), names, fontsize=6)
    axis.set_xlabel("feature")
    axis.set_ylabel("client: label")
    figure.colorbar(image)
    return figure


def _name(client_id: str) -> str:
    short = len(client_id) <= _LONGEST_NAME
    return client_id if short else f"{client_id[: _LONGEST_NAME - 1]}…"


def _label(dataset: FederatedDataset, label: Any) -> str:
    """A label as text, and a symbol as the character that it stands for."""
    if isinstance(label, bytes):
        return label.decode("utf-8", "replace")
    if dataset.alphabet is not None:
        return repr(dataset.alphabet[label])
    return str(label)
