"""Every argument of `leaf_data` given what it must not be: one sentence that names it, at once.

An argument that is added without a check is found by one of these tests. Arrays of examples have
their own tests, beside what reads them.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
import refused_dataset_arguments
import refused_model_arguments
import refused_partitioner_arguments

import leaf_data
from leaf_data import models, partitioners
from leaf_data.errors import DataError

_LABELS = np.arange(400) % 10
_ON_LABELS = set(refused_partitioner_arguments.REFUSED)
_TABLE = {
    **refused_partitioner_arguments.REFUSED,
    **refused_model_arguments.REFUSED,
    **refused_dataset_arguments.REFUSED,
}
_CASES = [
    pytest.param(owner, name, value, id=f"{owner}, {name}={str(value)[:12]}")
    for owner, (_, _, bad) in _TABLE.items()
    for name, values in bad.items()
    for value in values
]


@pytest.mark.parametrize(("owner", "name", "value"), _CASES)
def test_what_must_not_be_given_is_refused_by_name(owner, name, value):
    build, arguments, _ = _TABLE[owner]
    before = (_LABELS,) if owner in _ON_LABELS else ()
    with pytest.raises(ValueError) as error:
        build(*before, **{**arguments, name: value})
    # `read_images` calls its own argument `name`.
    names = (name, "name") if name == "images" else (name,)
    said = str(error.value)
    assert any(
        f"{one} is {value!r}" in said
        or f"{one} is {value};" in said
        or f"{one} is a {type(value).__name__};" in said
        for one in names
    )
    assert "must" in said or "take it" in said
    assert len(said.splitlines()) == 1
    assert not isinstance(error.value, DataError)


_PUBLIC = {
    **{name: getattr(leaf_data, name) for name in leaf_data.__all__},
    **{name: getattr(models, name) for name in models.__all__},
    **{name: getattr(partitioners, name) for name in partitioners.__all__},
}
# Arrays, functions, what others check, and what is only kept.
_NOT_LISTED = {
    *("labels", "partitions", "x", "y", "client", "is_test", "word_vectors", "clients"),
    *("documented", "origin", "purpose", "index", "label", "features", "options"),
    *("data_seed", "data_dir", "leaf_dir", "prepared_dir", "_client_index"),
}


def test_no_argument_is_forgotten():
    """Nothing is left out but an error, a record and `drop_untested`, which takes arrays alone."""
    assert set(_PUBLIC) - set(_TABLE) == {"DataError", "Task", "drop_untested"}
    for owner, (build, arguments, bad) in _TABLE.items():
        taken = set(inspect.signature(_PUBLIC.get(owner, build)).parameters)
        assert taken - set(bad) - _NOT_LISTED == set(), owner
        assert set(arguments) | set(bad) <= taken, owner


@pytest.mark.parametrize("labels", [[[0, 1]], 3, [0.0, math.nan], [math.inf, 1.0]])
@pytest.mark.parametrize("owner", sorted(_ON_LABELS - {"train_test_split"}))
def test_labels_that_are_none_are_refused(owner, labels):
    build, arguments, _ = _TABLE[owner]
    with pytest.raises(ValueError, match="labels has"):
        build(labels, **arguments)
