"""Control variates on the clients' own disks: whole tensors per client that no server holds.

A client's variate is as large as the model, and it belongs to the client: it is read where the
client trains, and written there. The server knows of each client only the round in which it last
wrote. Files are named by that round, so that a run which is resumed from an earlier round finds
the variates of that round: `DIRECTORY/CLIENT_INDEX/ROUND`.

Decision: files for models of all sizes. In the server's state small variates would cost less, but
the server would see every client's change, which secure sums hide from it. Nor are files written
over: what a run is resumed from would be lost, and ext4 takes longer to write out a file that was
cut off than to make a new one.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import tensorflow as tf


class ControlVariates:
    """The variates below one directory, as the clients of one process see them."""

    def __init__(self, directory: str | os.PathLike[str]):
        """Names the directory; it is made at the first write.

        Args:
            directory: On a file system that whatever computes for the clients shares.
        """
        self._directory = os.fspath(pathlib.Path(directory).absolute())

    def read(self, client_index: tf.Tensor, last_round: tf.Tensor, size: int) -> tf.Tensor:
        """Returns a client's variate inside its computation.

        Args:
            client_index: int64 scalar.
            last_round: int32 scalar, when it was written; negative for never.
            size: How many numbers a variate has.

        Returns:
            `[size]` float32; zeros where none was written.
        """
        was_written = last_round >= 0
        content = tf.io.read_file(self._path_if(was_written, client_index, last_round))
        # Of a few bytes, whatever the size.
        zeros = tf.make_tensor_proto(0.0, tf.float32, [size]).SerializeToString()
        vector = tf.io.parse_tensor(tf.where(was_written, content, zeros), tf.float32)
        return tf.ensure_shape(vector, [size])

    def write_if(
        self,
        condition: tf.Tensor,
        client_index: tf.Tensor,
        round_number: tf.Tensor,
        variate: tf.Tensor,
    ) -> None:
        """Writes a client's variate inside its computation.

        Args:
            condition: Bool scalar, whether to write at all.
            client_index: int64 scalar.
            round_number: int32 scalar, this round.
            variate: `[size]` float32.
        """
        path = self._path_if(condition, client_index, round_number)
        tf.io.write_file(path, tf.io.serialize_tensor(variate))

    def _path_if(
        self, condition: tf.Tensor, client_index: tf.Tensor, round_number: tf.Tensor
    ) -> tf.Tensor:
        """Returns the file's path; where the condition does not hold, that of no file.

        In the place of `tf.cond`: a graph that holds a single one is executed in another way, with
        more changes of threads, and a client with a small model takes 0.2 ms longer by it.
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


def prune_control_variates(directory: str | os.PathLike[str], *, oldest_round: int) -> None:
    """Removes the variates that no resumed run can ask for any more.

    Of every client stay the newest file written before `oldest_round`, and all later ones.

    Args:
        directory: The directory of a `ControlVariates`.
        oldest_round: How many rounds were done at the oldest state that may be resumed.
    """
    for newest_first in _written_before(directory, oldest_round):
        for file in newest_first[1:]:
            file.unlink()


def control_variates_at(
    directory: str | os.PathLike[str], *, num_rounds: int
) -> list[pathlib.Path]:
    """Returns the files that a run asks for when it is resumed.

    Args:
        directory: The directory of a `ControlVariates`.
        num_rounds: How many rounds are done then.

    Returns:
        Of every client that wrote until then the newest file.
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


def size_of(structure: Any) -> int:
    """Returns how many numbers a structure of tensors holds."""
    return sum(tensor.shape.num_elements() for tensor in tf.nest.flatten(structure))


def as_vector(structure: Any) -> tf.Tensor:
    """Returns the numbers of a structure of float32 tensors as one vector."""
    return tf.concat([tf.reshape(tensor, [-1]) for tensor in tf.nest.flatten(structure)], axis=0)


def as_structure(vector: tf.Tensor, like: Any) -> Any:
    """Returns the structure of which `as_vector` made a vector, shaped like `like`."""
    tensors = tf.nest.flatten(like)
    parts = tf.split(vector, [tensor.shape.num_elements() for tensor in tensors])
    return tf.nest.pack_sequence_as(
        like, [tf.reshape(part, tensor.shape) for part, tensor in zip(parts, tensors)]
    )
