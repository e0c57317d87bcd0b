"""What clients keep on their own disks: tensors that the server never holds.

A client's control variate, momentum or own model is as large as the global model. It belongs to the
client, so it is read and written where the client trains. The server only knows in which round each
client last wrote. Files are named by that round, `DIRECTORY/CLIENT_INDEX/ROUND`. So a run that is
resumed from an earlier round finds what clients had kept by then.

Decision: files for models of all sizes. Small tensors would cost less in the server's state. But
    the server would then see every client's tensors, which secure sums hide from it. Every
    round has a file of its own: a resumed run may need an earlier one, and ext4 truncates files
    more slowly than it makes them.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from tff_weights.float_types import computed_in


class ClientStore:
    """What the clients of one process keep below one directory."""

    def __init__(self, directory: str | os.PathLike[str]):
        """Names the directory; it is made at the first write.

        Args:
            directory: A directory on a file system shared by all processes that compute for
                clients.
        """
        self._directory = os.fspath(pathlib.Path(directory).absolute())
        # For the operation that looks for files: these characters are themselves.
        self._pattern = re.sub(r"([*?\[\]\\])", r"\\\1", self._directory)

    def read(
        self, client_index: tf.Tensor, last_round: tf.Tensor, spec: tf.TensorSpec
    ) -> tf.Tensor:
        """Returns what a client keeps, inside its computation.

        Args:
            client_index: int64 scalar.
            last_round: int32 scalar, the round in which it was written; negative for never.
            spec: The `vector_spec` of what it keeps.

        Returns:
            The vector that was written; zeros if `last_round` is negative.
        """
        was_written = last_round >= 0
        content = tf.io.read_file(self._path_if(was_written, client_index, last_round))
        # This proto has a few bytes, whatever the size.
        zeros = tf.make_tensor_proto(0.0, spec.dtype, spec.shape).SerializeToString()
        vector = tf.io.parse_tensor(tf.where(was_written, content, zeros), spec.dtype)
        return tf.ensure_shape(vector, spec.shape)

    def round_before(self, client_index: tf.Tensor, round_number: tf.Tensor) -> tf.Tensor:
        """Returns the last round, int32, if the client has written in it; −1 if it has not.

        Args:
            client_index: int64 scalar.
            round_number: int32 scalar, this round.
        """
        path = self._path(client_index, round_number - 1, directory=self._pattern)
        return tf.where(tf.size(tf.io.matching_files(path)) > 0, round_number - 1, -1)

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
        """Returns the file's path, or `os.devnull` if the condition does not hold.

        Without `tf.cond`: a single one makes TensorFlow execute the graph in another way, which
        costs a client with a small model 0.2 ms.
        """
        path = self._path(client_index, round_number, directory=self._directory)
        return tf.where(condition, path, os.devnull)

    @staticmethod
    def _path(client_index: tf.Tensor, round_number: tf.Tensor, *, directory: str) -> tf.Tensor:
        parts = [directory, tf.strings.as_string(client_index), tf.strings.as_string(round_number)]
        return tf.strings.join(parts, separator="/")


def prune_client_store(directory: str | os.PathLike[str], *, oldest_round: int) -> None:
    """Removes the clients' files that no resumed run can need any more.

    Each client keeps its newest file written before `oldest_round`, and all later ones.

    Args:
        directory: The directory of a `ClientStore`.
        oldest_round: The number of rounds done in the oldest state that may be resumed.
    """
    for newest_first in _written_before(directory, oldest_round):
        for file in newest_first[1:]:
            file.unlink()


def client_store_files(directory: str | os.PathLike[str], *, num_rounds: int) -> list[pathlib.Path]:
    """Returns the files that a run asks for when it is resumed.

    Args:
        directory: The directory of a `ClientStore`.
        num_rounds: The number of rounds done at that time.

    Returns:
        For every client the newest file that it had written by then.
    """
    return [newest_first[0] for newest_first in _written_before(directory, num_rounds)]


def _written_before(
    directory: str | os.PathLike[str], round_number: int
) -> Iterator[list[pathlib.Path]]:
    """Yields every client's files of earlier rounds, the newest first."""
    for client in sorted(pathlib.Path(directory).glob("*")):
        files = client.iterdir() if client.is_dir() else ()
        written = [file for file in files if file.name.isdigit() and int(file.name) < round_number]
        if written:
            yield sorted(written, key=lambda file: int(file.name), reverse=True)


def vector_spec(structure: Any) -> tf.TensorSpec:
    """Returns the spec of what `as_vector` makes of a structure of floats.

    Its type is the tensors' own. If they have several types, it is `computed_in`, which holds them
    all.
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
