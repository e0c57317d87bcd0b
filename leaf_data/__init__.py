"""Federated data sets and partitioners; knows nothing of algorithms.

A user's own data set, from a pandas frame with a column of clients:

    frame = pandas.read_csv("patients.csv")
    dataset = leaf_data.from_frame(frame, client="hospital", label="outcome")
    task = leaf_data.as_task(dataset)

`from_arrays` makes a data set of NumPy arrays, `from_client_data` of any TFF `ClientData`, and
`read_leaf_json` of LEAF's JSON. The programs also take a function that returns a data set, such as
`--dataset=my_data:load_patients`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaf_data.errors import DataError
    from leaf_data.federated_dataset import FederatedDataset
    from leaf_data.leaf_json.reader import read_leaf_json
    from leaf_data.own_data import from_arrays, from_client_data, from_frame
    from leaf_data.tasks import Task, as_task, load_task

__all__ = [
    "DataError",
    "FederatedDataset",
    "Task",
    "as_task",
    "from_arrays",
    "from_client_data",
    "from_frame",
    "load_task",
    "read_leaf_json",
]

_HOMES = {
    "DataError": "errors",
    "FederatedDataset": "federated_dataset",
    "Task": "tasks",
    "as_task": "tasks",
    "from_arrays": "own_data",
    "from_client_data": "own_data",
    "from_frame": "own_data",
    "load_task": "tasks",
    "read_leaf_json": "leaf_json.reader",
}


def __getattr__(name: str) -> Any:
    """Imports names when they are first used: some need TensorFlow, which takes seconds."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
