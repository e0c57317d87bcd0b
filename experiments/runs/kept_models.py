"""The models that a run keeps: the last one and the best one."""

from __future__ import annotations

import json
import math
import pathlib
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow_federated as tff

from experiments.runs.files import replacing, write_atomically
from leaf_data.raw_files import sha256
from tff_weights import trained_models

LAST, BEST = "last", "best"
# The first one that an evaluation has counts; with each, whether a smaller number is better.
_BEST_BY = {"test_average": False, "test_loss": True}


def best_by(measured: Mapping[str, Any]) -> str:
    """Returns the name of the metric by which models are compared."""
    return next(name for name in _BEST_BY if name in measured)


class KeptModels:
    """The files of one folder: weights of models, each with its round.

    `last.npz` and `best.npz` hold the arrays that `trained_models.save_weights` writes. Where every
    client has a model of its own, its arrays are named `CLIENT_ID/trainable_0` and so on.

    The best model is the first with the highest `test_average` of all evaluations in the table of
    rounds, or without an accuracy with the lowest `test_loss`. A run that repeats rounds after an
    interruption finds the same one. Clients' own models are compared together, by their average.
    """

    def __init__(self, folder: pathlib.Path):
        self._folder = folder

    def keep(
        self,
        which: str,
        models: Iterable[tuple[str | None, tff.learning.models.ModelWeights]],
        *,
        round_number: int,
        metrics: Mapping[str, float],
    ) -> None:
        """Replaces the former models, one at a time.

        They are the `LAST` or `BEST` ones: the weights of each client's model with its id, or of
        the shared model with None. The metrics are those of their evaluation.
        """
        self._folder.mkdir(exist_ok=True)
        with replacing(self._weights(which)) as file, zipfile.ZipFile(file, "w") as archive:
            for client_id, weights in models:
                prefix = "" if client_id is None else f"{client_id}/"
                for name, array in trained_models.as_arrays(weights).items():
                    with archive.open(f"{prefix}{name}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
        facts = {
            "round": round_number,
            best_by(metrics): metrics[best_by(metrics)],
            "sha256": sha256(self._weights(which)),
        }
        write_atomically(self._facts(which), json.dumps(facts, indent=2) + "\n")

    def is_better(self, metrics: Mapping[str, float]) -> bool:
        """Says whether models are better than the best so far, by their evaluation."""
        name = best_by(metrics)
        try:
            best = self.facts(BEST).get(name, math.nan)
        except ValueError:  # There is none, or it is damaged.
            return True
        return math.isnan(best) or (
            metrics[name] < best if _BEST_BY[name] else metrics[name] > best
        )

    def facts(self, which: str) -> dict[str, Any]:
        """Returns the `round` of a model and the number that `best_by` names.

        Raises:
            ValueError: If there is no such model, or it is damaged.
        """
        try:
            facts = json.loads(self._facts(which).read_text())
            facts = {name: facts[name] for name in ("round", best_by(facts), "sha256")}
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            raise ValueError(
                f"run {self._folder.parent} keeps no {which} model: it is not finished, or an "
                "earlier version made it"
            ) from None
        file = self._weights(which)
        if not file.exists() or sha256(file) != facts["sha256"]:
            raise ValueError(f"run {self._folder.parent}: {file} is damaged or missing")
        return facts

    def copy(self, which: str, path: pathlib.Path) -> None:
        """Writes a copy of the file of weights."""
        write_atomically(path, self._weights(which).read_bytes())

    def load(
        self, which: str, model: Any, client_id: str | None = None
    ) -> tff.learning.models.ModelWeights:
        """Returns the weights of a client's model, or of the shared model.

        Raises:
            ValueError: If there is no such model.
        """
        with np.load(self._weights(which), allow_pickle=False) as file:
            by_owner: dict[str, dict[str, str]] = {}
            for path in file.files:
                owner, _, name = path.rpartition("/")
                by_owner.setdefault(owner, {})[name] = path
            if client_id is not None and "" in by_owner:
                raise ValueError("all clients share the model of this run; leave --client out")
            if (client_id or "") not in by_owner:
                raise ValueError(
                    "every client of this run has a model of its own; --client must be one of "
                    f"{', '.join(list(by_owner)[:3])}, …, as in clients.csv, got {client_id!r}"
                )
            arrays = {name: file[path] for name, path in by_owner[client_id or ""].items()}
        return trained_models.from_arrays(arrays, model)

    def _weights(self, which: str) -> pathlib.Path:
        return self._folder / f"{which}.npz"

    def _facts(self, which: str) -> pathlib.Path:
        return self._folder / f"{which}.json"
