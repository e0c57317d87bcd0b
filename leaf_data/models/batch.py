"""The input of the models: examples and labels, by name and by place."""

from __future__ import annotations

from typing import Any, NamedTuple


class Batch(NamedTuple):
    """The specs of a batch; the data may be `OrderedDict(x=..., y=...)`, as those of `ClientData`.

    TFF trains by the names, and its `tff.learning.models.save_functional_model` goes by the places.

    Attributes:
        x: The features' `tf.TensorSpec`, batch dimension first.
        y: The labels'.
    """

    x: Any
    y: Any
