"""The input of the models: features and labels, by name and by position."""

from __future__ import annotations

from typing import Any, NamedTuple


class Batch(NamedTuple):
    """The specs of a batch; its data may be `OrderedDict(x=..., y=...)`, as in `ClientData`.

    TFF's training uses the names, and `tff.learning.models.save_functional_model` the positions.

    Attributes:
        x: The features' `tf.TensorSpec`, batch dimension first.
        y: The labels'.
    """

    x: Any
    y: Any
