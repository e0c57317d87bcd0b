"""Clients in memory, as `tff.simulation.datasets.ClientData`.

`ArrayClientData` keeps the examples of all clients in one flat array per field, with row splits as
in `tf.RaggedTensor`: a client is a view, never a copy.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.examples import Examples, as_examples

Clients = Union[Mapping[str, Mapping[str, Any]], Iterable[tuple[str, Mapping[str, Any]]]]


class ArrayClientData(tff.simulation.datasets.ClientData):
    """Clients in memory: one flat array per field, and the place of each client in it.

    The order of the clients is the order in which they are given, and it never changes: a client's
    place in `client_ids` is its stable integer index. Unlike in
    `tff.simulation.datasets.TestClientData`, a client may have no examples, and tracing costs one
    copy of the arrays instead of one branch per client.

    `serializable_dataset_fn` puts the arrays into the TensorFlow graph as constants, as any
    in-memory `ClientData` must. So it is limited to protocol buffers' 2 GB; `examples` and
    `create_tf_dataset_for_client` are not.
    """

    def __init__(self, clients: Clients) -> None:
        """Copies the clients' examples into flat arrays.

        Args:
            clients: A mapping from client id to examples, or an iterable of `(client_id,
                examples)`; the examples are a mapping from field name to an array-like
                [num_examples, ...]. All clients have the same fields, example shapes and dtypes.
                Text (`str`, UTF-8 encoded, or `bytes`) becomes an object array of `bytes`, which is
                what TensorFlow gives back.

        Raises:
            ValueError: If there are no clients, an id occurs twice or is not valid Unicode, or
                fields, shapes or dtypes differ.
            TypeError: If an id is not a string.
        """
        pairs = clients.items() if isinstance(clients, Mapping) else clients
        client_ids: list[str] = []
        row_counts: list[int] = []
        chunks: collections.OrderedDict[str, list[npt.NDArray[Any]]] = collections.OrderedDict()
        for client_id, examples in pairs:
            arrays = as_examples(examples, client_id)
            if not client_ids:
                chunks.update((field, []) for field in arrays)
            if list(arrays) != list(chunks):
                raise ValueError(
                    f"clients[{client_id!r}] has the fields {list(arrays)}, the clients before it"
                    f" {list(chunks)}; all must have the same fields in the same order."
                )
            for field, array in arrays.items():
                first = chunks[field][0] if chunks[field] else array
                if array.shape[1:] != first.shape[1:] or array.dtype != first.dtype:
                    raise ValueError(
                        f"clients[{client_id!r}][{field!r}] has examples of shape"
                        f" {array.shape[1:]} and dtype {array.dtype}, the clients before it"
                        f" {first.shape[1:]} and {first.dtype}; all must have the same."
                    )
                chunks[field].append(array)
            client_ids.append(client_id)
            row_counts.append(len(next(iter(arrays.values()))))
        self._initialize(
            client_ids,
            collections.OrderedDict((field, _concatenate(chunks[field])) for field in chunks),
            row_splits_from_counts(row_counts),
        )

    @classmethod
    def from_arrays(
        cls,
        client_ids: Sequence[str],
        arrays: Mapping[str, npt.NDArray[Any]],
        row_splits: npt.NDArray[np.int64],
    ) -> ArrayClientData:
        """Wraps flat arrays without copying them (text is converted to `bytes`).

        Args:
            client_ids: The N client ids.
            arrays: For each field an array [num_examples_total, ...].
            row_splits: [N + 1] int; client i has the rows `row_splits[i]` to `row_splits[i + 1] -
                1`.

        Returns:
            The client data.

        Raises:
            ValueError: If the row splits do not fit the ids or the arrays, or an id occurs twice.
            TypeError: If an id is not a string.
        """
        self = cls.__new__(cls)
        self._initialize(
            list(client_ids), as_examples(arrays, "all"), np.array(row_splits, np.int64)
        )
        return self

    @classmethod
    def from_partitions(
        cls,
        client_ids: Sequence[str],
        arrays: Mapping[str, npt.NDArray[Any]],
        partitions: Sequence[npt.NDArray[np.int64]],
    ) -> ArrayClientData:
        """Gives each client the pooled examples that a partitioner chose for it.

        Args:
            client_ids: The N client ids.
            arrays: For each field the pooled examples [num_examples_pool, ...].
            partitions: N arrays of indices into the pool; client i holds them in this order.

        Returns:
            The client data, a copy of the chosen examples.

        Raises:
            ValueError: If the numbers of ids and partitions differ, or an id occurs twice.
        """
        order = np.concatenate([np.zeros(0, np.int64), *partitions])
        return cls.from_arrays(
            client_ids,
            collections.OrderedDict((field, array[order]) for field, array in arrays.items()),
            row_splits_from_counts([len(partition) for partition in partitions]),
        )

    def _initialize(
        self, client_ids: list[str], arrays: Examples, row_splits: npt.NDArray[np.int64]
    ) -> None:
        if not client_ids:
            raise ValueError("clients is empty; at least one client is needed.")
        for client_id in client_ids:
            if not isinstance(client_id, str):
                raise TypeError(f"client id {client_id!r} is not a string.")
            try:
                client_id.encode()
            except UnicodeEncodeError:
                raise ValueError(f"client id {client_id!r} cannot be written as UTF-8.") from None
        # A dict keeps the order and gives the index of an id at once.
        self._client_index = {client_id: index for index, client_id in enumerate(client_ids)}
        if len(self._client_index) != len(client_ids):
            counts = collections.Counter(client_ids)
            twice = next(client_id for client_id in client_ids if counts[client_id] > 1)
            raise ValueError(f"client id {twice!r} occurs more than once; ids must be unique.")
        num_rows = len(next(iter(arrays.values())))
        if (
            row_splits.shape != (len(client_ids) + 1,)
            or row_splits[0] != 0
            or row_splits[-1] != num_rows
            or np.any(np.diff(row_splits) < 0)
        ):
            raise ValueError(
                f"row_splits must rise from 0 to the number of examples {num_rows} in"
                f" {len(client_ids)} steps, one per client; found shape {row_splits.shape}:"
                f" {row_splits!r}."
            )
        for array in arrays.values():
            array.flags.writeable = False  # Clients are views: one must not change another's data.
        row_splits.flags.writeable = False
        self._arrays = arrays
        self._row_splits = row_splits
        self._element_type_structure = collections.OrderedDict(
            (field, tf.TensorSpec(array.shape[1:], tf.as_dtype(_tensor_dtype(array))))
            for field, array in arrays.items()
        )
        self._serializable_dataset_fn = tf.function(self._dataset_in_graph, autograph=False)

    def _dataset_in_graph(self, client_id: tf.Tensor) -> tf.data.Dataset:
        matches = tf.equal(client_id, list(self._client_index))
        tf.debugging.assert_equal(
            tf.reduce_any(matches), True, message="The client id is not one of this ClientData's."
        )
        index = tf.argmax(tf.cast(matches, tf.int32))
        row_splits = tf.constant(self._row_splits)
        begin, end = row_splits[index], row_splits[index + 1]
        return tf.data.Dataset.from_tensor_slices(
            collections.OrderedDict(
                (field, tf.constant(array)[begin:end]) for field, array in self._arrays.items()
            )
        )

    @property
    def client_ids(self) -> list[str]:
        """The N client ids; a client's place here is its stable integer index."""
        return list(self._client_index)

    @property
    def serializable_dataset_fn(self) -> Callable[[Any], tf.data.Dataset]:
        """A traceable callable from a client id, a scalar string, to its `tf.data.Dataset`."""
        return self._serializable_dataset_fn

    @property
    def element_type_structure(self) -> collections.OrderedDict[str, tf.TensorSpec]:
        """The `tf.TensorSpec` of one example, by field."""
        return self._element_type_structure

    @property
    def arrays(self) -> Examples:
        """All examples by field, [num_examples_total, ...], client after client; read-only."""
        return self._arrays

    @property
    def row_splits(self) -> npt.NDArray[np.int64]:
        """[N + 1] int64, read-only; client i has rows `row_splits[i] : row_splits[i + 1]`."""
        return self._row_splits

    @property
    def num_examples(self) -> npt.NDArray[np.int64]:
        """The number of examples of each client: [N] int64."""
        return np.diff(self._row_splits)

    def client_index(self, client_id: str) -> int:
        """The stable integer index of a client, in `0..N-1`.

        Raises:
            ValueError: If there is no such client.
        """
        try:
            return self._client_index[client_id]
        except KeyError:
            raise ValueError(
                f"client_id is {client_id!r}; it must be one of the {len(self._client_index)} in"
                " `client_ids`."
            ) from None

    def examples(self, client_id: str) -> Examples:
        """A client's examples by field, [num_examples, ...]: read-only views, no copies.

        Raises:
            ValueError: If there is no such client.
        """
        index = self.client_index(client_id)
        rows = slice(self._row_splits[index], self._row_splits[index + 1])
        return collections.OrderedDict(
            (field, array[rows]) for field, array in self._arrays.items()
        )

    def create_tf_dataset_for_client(self, client_id: str) -> tf.data.Dataset:
        """A client's examples as a `tf.data.Dataset` of `OrderedDict(x=..., y=...)`, in order.

        Raises:
            ValueError: If there is no such client.
        """
        return tf.data.Dataset.from_tensor_slices(self.examples(client_id))


def client_examples(client_data: tff.simulation.datasets.ClientData, client_id: str) -> Any:
    """A client's examples as NumPy arrays, from any TFF `ClientData`.

    Args:
        client_data: The client data; for an `ArrayClientData` the result is views, without copies.
        client_id: The client.

    Returns:
        The structure of the elements (for this project's data sets an `OrderedDict` with `x` and
        `y`) with an array [num_examples, ...] for each tensor; text is an object array of `bytes`.

    Raises:
        ValueError: If there is no such client.
    """
    if isinstance(client_data, ArrayClientData):
        return client_data.examples(client_id)
    dataset = client_data.create_tf_dataset_for_client(client_id)
    batches = list(dataset.batch(1024).as_numpy_iterator())
    # The empty batch in front gives a client without examples its shapes and dtypes.
    empty = tf.nest.map_structure(
        lambda spec: np.zeros([0, *spec.shape.as_list()], spec.dtype.as_numpy_dtype),
        client_data.element_type_structure,
    )
    return tf.nest.map_structure(lambda *parts: np.concatenate(parts), empty, *batches)


def num_examples_per_client(
    client_data: tff.simulation.datasets.ClientData,
) -> npt.NDArray[np.int64]:
    """The number of examples of each client of any TFF `ClientData`: [N] int64, in client order."""
    if isinstance(client_data, ArrayClientData):
        return client_data.num_examples
    datasets = map(client_data.create_tf_dataset_for_client, client_data.client_ids)
    return np.array(
        [dataset.reduce(np.int64(0), lambda count, _: count + 1).numpy() for dataset in datasets],
        np.int64,
    )


def row_splits_from_counts(counts: Sequence[int]) -> npt.NDArray[np.int64]:
    """The row splits [N + 1] int64 of N clients with `counts` examples each."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))]).astype(np.int64)


def _tensor_dtype(array: npt.NDArray[Any]) -> Any:
    return tf.string if array.dtype == object else array.dtype


def _concatenate(chunks: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Concatenates, and frees each chunk after copying it, so that memory does not double."""
    flat = np.empty((sum(map(len, chunks)), *chunks[0].shape[1:]), chunks[0].dtype)
    end = len(flat)
    while chunks:
        chunk = chunks.pop()
        flat[end - len(chunk) : end] = chunk
        end -= len(chunk)
    return flat
