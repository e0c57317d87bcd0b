from __future__ import annotations

import numpy as np
import pytest

from leaf_data.client_data import ArrayClientData
from leaf_data.description.samples import draw_samples
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.sent140 import TweetDataset
from leaf_data.sent140.vocabulary import Vocabulary
from leaf_data.shakespeare.alphabet import ALPHABET, to_symbols


def _clients(x, y) -> ArrayClientData:
    """The same examples for all but the last two, who have one and none; names to be cut."""
    counts = {f"client {'of a long name ' * 5}{client}": len(x) for client in range(3)}
    counts |= {"short": 1, "none": 0}
    return ArrayClientData(
        {name: {"x": x[:count], "y": y[:count]} for name, count in counts.items()}
    )


def _dataset(x, y, kind=FederatedDataset, **arguments) -> FederatedDataset:
    data = _clients(np.asarray(x), np.asarray(y))
    return kind("small", data, data, **arguments)


_RANDOM = np.random.default_rng(0)
_LABELS = np.arange(12, dtype=np.int32) % 2
_WINDOW = "To be, or not to be\n"
_DATASETS = {
    "grey images": lambda: _dataset(_RANDOM.integers(0, 256, (12, 28, 28), np.uint8), _LABELS),
    "images of numbers": lambda: _dataset(
        _RANDOM.normal(size=(12, 28, 28)).astype(np.float32), _LABELS
    ),
    "coloured images": lambda: _dataset(
        _RANDOM.integers(0, 256, (12, 32, 32, 3), np.uint8), _LABELS
    ),
    "vectors": lambda: _dataset(_RANDOM.normal(size=(12, 60)), _LABELS),
    "numbers": lambda: _dataset(np.zeros(12), _LABELS),
    "windows": lambda: _dataset(
        [to_symbols(_WINDOW)] * 12, _LABELS, num_classes=80, alphabet=ALPHABET
    ),
    "words": lambda: _dataset(
        np.arange(24, dtype=np.int32).reshape(12, 2) % 3,
        _LABELS,
        TweetDataset,
        num_classes=2,
        vocabulary=Vocabulary(("costs", "$5 or $6")),
    ),
    "texts": lambda: _dataset([["1", "Mon", "$x^$ caf\xe9 \u4f60"]] * 12, ["4"] * 12),
}


def test_clients_without_training_examples_are_left_out():
    """Of 20 clients one has some."""
    x = {f"{client}": np.ones((int(client == 5), 60)) for client in range(20)}
    data = ArrayClientData({name: {"x": each, "y": each[:, 0]} for name, each in x.items()})
    figure = draw_samples(FederatedDataset("small", data, data))
    assert figure.get_suptitle() == "small: training examples of 1 clients"


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("kind", list(_DATASETS))
def test_a_page_is_drawn(kind):
    figure = draw_samples(_DATASETS[kind]())
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    assert pixels.shape[0] > 100 and pixels.std() > 2
