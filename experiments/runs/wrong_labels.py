"""Names the client whose label is no class of the model, if TensorFlow ends the round for it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaf_data.federated_dataset import FederatedDataset

# The message of its sparse cross entropies on a CPU; elsewhere such a loss is NaN.
_TENSORFLOW_SAYS = re.compile(
    r"label value of (-?\d+) which is outside the valid range of \[0, (\d+)\)"
)


class WrongLabelError(Exception):
    """A client has a label that is no class of the model; the message names the client."""


@contextlib.contextmanager
def wrong_labels_are_named(dataset: FederatedDataset) -> Iterator[None]:
    """Turns TensorFlow's error about a label, within the block, into one sentence.

    Raises:
        WrongLabelError: If a label is no class of the model and TensorFlow raises for it.
    """
    try:
        yield
    except Exception as error:
        found = _TENSORFLOW_SAYS.search(str(error))
        if found is None:
            raise
        label, num_classes = map(int, found.groups())
        raise WrongLabelError(
            f"labels must lie in 0 … {num_classes - 1}, the classes of the model; data set "
            f"{dataset.name!r} has the label {label}{_place(dataset, label)}. A loss that is not a "
            "number for it drops this client from every round instead; see docs/how_to/model.md"
        ) from error


def _place(dataset: FederatedDataset, label: int) -> str:
    from leaf_data.client_data import client_examples  # Deferred: it takes seconds.

    for split, client_data in (("training", dataset.train), ("test", dataset.test)):
        for client_id in dataset.client_ids:
            if (client_examples(client_data, client_id)["y"] == label).any():
                return f" among the {split} examples of client {client_id!r}"
    return ""
