"""The clients' own models, read where the program runs."""

from __future__ import annotations

import os
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.client_store import ClientStore, as_structure, vector_spec
from tff_weights.client_work.local_model import Model, ModelWeights


class OwnModels:
    """The models that clients keep, of `build_trained_alone` and `build_ditto`."""

    def __init__(self, model: Model, store_dir: str | os.PathLike[str]):
        """Names the directory; reads nothing.

        Args:
            model: The model that the process was built for.
            store_dir: The directory that it was built with.
        """
        self._files = ClientStore(store_dir)
        self._like = local_model(model).initial_weights().trainable

    def last_rounds(self, state: Any) -> npt.NDArray[np.int32]:
        """Returns `[num_clients]`, in which round each client last trained; −1 for never."""
        return np.asarray(state.client_work.server.last_round, np.int32)

    def versions(self, state: Any) -> npt.NDArray[np.int64]:
        """Returns `[num_clients]`, integers that differ where a client's own model does."""
        last_rounds = self.last_rounds(state).astype(np.int64)
        if np.all(last_rounds >= 0):
            return last_rounds
        checksum = 0
        for array in tf.nest.flatten(state.global_model_weights.trainable):
            checksum = zlib.crc32(np.asarray(array).tobytes(), checksum)
        return np.where(last_rounds < 0, -1 - checksum, last_rounds)

    def weights(self, state: Any, client_index: int) -> ModelWeights:
        """Returns a client's own model at a state of the process.

        A client that has never trained has the global model.
        """
        last_round = int(self.last_rounds(state)[client_index])
        current = state.global_model_weights
        if last_round < 0:
            return ModelWeights(current.trainable, current.non_trainable)
        index = tf.constant(client_index, tf.int64)
        vector = self._files.read(index, tf.constant(last_round), vector_spec(self._like))
        return ModelWeights(as_structure(vector, self._like), current.non_trainable)
