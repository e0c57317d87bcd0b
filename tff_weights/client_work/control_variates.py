"""Control variates on the clients' own disks: whole tensors per client that no server holds.

A client's variate is as large as the model, and it belongs to the client: it is read where the
client trains, and written there. The server knows of each client only the round in which it last
wrote. Files are named by that round, so that a run which is resumed from an earlier round finds
the variates of that round: `DIRECTORY/CLIENT_INDEX/ROUND`.
"""

from __future__ import annotations

import os
import pathlib
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

    def read(self, client_index: tf.Tensor, last_round: tf.Tensor, like: Any) -> Any:
        """Returns a client's variate inside its computation.

        Args:
            client_index: int64 scalar.
            last_round: int32 scalar, when it was written; negative for never.
            like: Structure of float32 tensors, the variate's shape.

        Returns:
            Tensors shaped like `like`; zeros where none was written.
        """

        def from_file() -> tf.Tensor:
            content = tf.io.read_file(self._path(client_index, last_round))
            return tf.ensure_shape(tf.io.parse_tensor(content, tf.float32), [_size(like)])

        vector = tf.cond(last_round >= 0, from_file, lambda: tf.zeros([_size(like)]))
        return _unflatten(vector, like)

    def write_if(
        self, condition: tf.Tensor, client_index: tf.Tensor, round_number: tf.Tensor, variate: Any
    ) -> None:
        """Writes a client's variate inside its computation.

        Args:
            condition: Bool scalar, whether to write at all.
            client_index: int64 scalar.
            round_number: int32 scalar, this round.
            variate: Structure of float32 tensors.
        """
        vector = tf.concat([tf.reshape(x, [-1]) for x in tf.nest.flatten(variate)], axis=0)
        path, content = self._path(client_index, round_number), tf.io.serialize_tensor(vector)

        def write() -> tf.Tensor:
            with tf.control_dependencies([tf.io.write_file(path, content)]):
                return tf.constant(True)

        tf.cond(condition, write, lambda: tf.constant(False))

    def _path(self, client_index: tf.Tensor, round_number: tf.Tensor) -> tf.Tensor:
        return tf.strings.join(
            [
                self._directory,
                tf.strings.as_string(client_index),
                tf.strings.as_string(round_number),
            ],
            separator="/",
        )


def prune_control_variates(directory: str | os.PathLike[str], *, oldest_round: int) -> None:
    """Removes the variates that no resumed run can ask for any more.

    Of every client stay the newest file written before `oldest_round`, and all later ones.

    Args:
        directory: The directory of a `ControlVariates`.
        oldest_round: How many rounds were done at the oldest state that may be resumed.
    """
    for client in pathlib.Path(directory).glob("*"):
        written = sorted((int(file.name) for file in client.iterdir()), reverse=True)
        before = [round_number for round_number in written if round_number < oldest_round]
        for round_number in before[1:]:
            (client / str(round_number)).unlink()


def _size(like: Any) -> int:
    return sum(tensor.shape.num_elements() for tensor in tf.nest.flatten(like))


def _unflatten(vector: tf.Tensor, like: Any) -> Any:
    tensors = tf.nest.flatten(like)
    parts = tf.split(vector, [tensor.shape.num_elements() for tensor in tensors])
    return tf.nest.pack_sequence_as(
        like, [tf.reshape(part, tensor.shape) for part, tensor in zip(parts, tensors)]
    )
