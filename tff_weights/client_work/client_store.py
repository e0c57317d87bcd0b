"""What clients keep on their own disks: whole tensors per client that no server holds.

A control variate, a momentum or a model of a client's own is as large as the model, and it belongs
to the client: it is read where the client trains, and written there. The server knows of each
client only the round in which it last wrote. Files are named by that round,
`DIRECTORY/CLIENT_INDEX/ROUND`. A run that is resumed from an earlier round so finds what clients
had kept by that round.

Decision: files for models of all sizes. In the server's state small tensors would cost less, but
the server would see every client's, which secure sums hide from it. A file is never overwritten: a
resumed run may need it, and ext4 truncates a file more slowly than it makes one.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from tff_weights.float_types import computed_in


class ClientStore:
    """What clients keep below one directory, as the clients of one process see it."""

    def __init__(self, directory: str | os.PathLike[str]):
        """Names the directory; it is made at the first write.

        Args:
            directory: On a file system that whatever computes for the clients shares.
        """
        self._directory = os.fspath(pathlib.Path(directory).absolute())

    def read(
        self, client_index: tf.Tensor, last_round: tf.Tensor, spec: tf.TensorSpec
    ) -> tf.Tensor:
        """Returns what a client keeps, inside its computation.

        Args:
            client_index: int64 scalar.
            last_round: int32 scalar, when it was written; negative for never.
            spec: The `vector_spec` of what it keeps.

        Returns:
            The vector as `write_if` was given it; zeros where none was written.
        """
        was_written = last_round >= 0
        content = tf.io.read_file(self._path_if(was_written, client_index, last_round))
        # This proto has a few bytes, whatever the size.
        zeros = tf.make_tensor_proto(0.0, spec.dtype, spec.shape).SerializeToString()
        vector = tf.io.parse_tensor(tf.where(was_written, content, zeros), spec.dtype)
        return tf.ensure_shape(vector, spec.shape)

    def write_if(
        self,
        condition: tf.Tensor,
        client_index: tf.Tensor,
        round_number: tf.Tensor,
        vector: tf.Tensor,
    ) -> None:
        """Writes what a client keeps, inside its computation.

        Args:
            condition: Bool scalar, whether to write at all.
            client_index: int64 scalar.
            round_number: int32 scalar, this round.
            vector: `[size]`, as `as_vector` makes it.
        """
        path = self._path_if(condition, client_index, round_number)
        tf.io.write_file(path, tf.io.serialize_tensor(vector))

    def _path_if(
        self, condition: tf.Tensor, client_index: tf.Tensor, round_number: tf.Tensor
    ) -> tf.Tensor:
        """Returns the file's path, or `os.devnull` where the condition does not hold.

        Not by `tf.cond`: TensorFlow executes a graph with a single one in another way, which costs
        a client with a small model 0.2 ms.
        """
        path = tf.strings.join(
            [
                self._directory,
                tf.strings.as_string(client_index),
                tf.strings.as_string(round_number),
            ],
            separator="/",
        )
        return tf.where(condition, path, os.devnull)


def prune_client_store(directory: str | os.PathLike[str], *, oldest_round: int) -> None:
    """Removes the files of clients that no resumed run can ask for any more.

    Each client keeps its newest file written before `oldest_round`, and all later ones.

    Args:
        directory: The directory of a `ClientStore`.
        oldest_round: How many rounds were done at the oldest state that may be resumed.
    """
    for newest_first in _written_before(directory, oldest_round):
        for file in newest_first[1:]:
            file.unlink()


def client_store_files(directory: str | os.PathLike[str], *, num_rounds: int) -> list[pathlib.Path]:
    """Returns the files that a run asks for when it is resumed.

    Args:
        directory: The directory of a `ClientStore`.
        num_rounds: How many rounds are done then.

    Returns:
        The newest file of every client that wrote until then.
    """
    return [newest_first[0] for newest_first in _written_before(directory, num_rounds)]


def _written_before(
    directory: str | os.PathLike[str], round_number: int
) -> Iterator[list[pathlib.Path]]:
    """Yields for every client what it wrote in earlier rounds, if anything, the newest first."""
    for client in sorted(pathlib.Path(directory).glob("*")):
        written = [file for file in client.iterdir() if int(file.name) < round_number]
        if written:
            yield sorted(written, key=lambda file: int(file.name), reverse=True)


def vector_spec(structure: Any) -> tf.TensorSpec:
    """Returns the spec of what `as_vector` makes of a structure of floats.

    Its type is the tensors' own, or `computed_in`, which holds them all, where they have several.
    """
    tensors = tf.nest.flatten(structure)
    dtypes = {tensor.dtype for tensor in tensors}
    dtype = dtypes.pop() if len(dtypes) == 1 else computed_in(structure)
    return tf.TensorSpec([sum(tensor.shape.num_elements() for tensor in tensors)], dtype)


def as_vector(structure: Any) -> tf.Tensor:
    """Returns the numbers of a structure of floats as one vector, see `vector_spec`."""
    dtype = vector_spec(structure).dtype
    parts = [tf.reshape(tf.cast(tensor, dtype), [-1]) for tensor in tf.nest.flatten(structure)]
    return tf.concat(parts, axis=0)


def as_structure(vector: tf.Tensor, like: Any) -> Any:
    """Returns the structure that `as_vector` made a vector, shaped and typed like `like`."""
    tensors = tf.nest.flatten(like)
    parts = tf.split(vector, [tensor.shape.num_elements() for tensor in tensors])
    return tf.nest.pack_sequence_as(
        like,
        [
            tf.cast(tf.reshape(part, tensor.shape), tensor.dtype)
            for part, tensor in zip(parts, tensors)
        ],
    )
