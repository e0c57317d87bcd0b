"""The models that a run leaves behind: after its last round, and where it was best."""

from __future__ import annotations

import hashlib
import json
import math
import pathlib
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow_federated as tff

from experiments.runs.files import replacing, write_atomically
from tff_weights import trained_models

LAST, BEST = "last", "best"
# The first of them that an evaluation has, and whether a smaller number is the better.
_BEST_BY = {"test_average": False, "test_loss": True}


def best_by(measured: Mapping[str, Any]) -> str:
    """Returns the name of the number by which models are compared, of these metrics."""
    return next(name for name in _BEST_BY if name in measured)


class KeptModels:
    """The files of one folder: the weights of models, and for each its round.

    `last.npz` and `best.npz` hold the arrays that `trained_models.save_weights` writes. Where every
    client has a model of its own, its arrays are named `CLIENT_ID/trainable_0` and so on.

    The best model is the first with the highest `test_average`, or without an accuracy the lowest
    `test_loss`, of all evaluations in the table of rounds. A run that repeats rounds after an
    interruption finds the same one. Clients' own models are the best together, by their average.
    """

    def __init__(self, folder: pathlib.Path):
        """Names the files of a folder, which is made when something is kept."""
        self._folder = folder

    def keep(
        self,
        which: str,
        models: Iterable[tuple[str | None, tff.learning.models.ModelWeights]],
        *,
        round_number: int,
        metrics: Mapping[str, float],
    ) -> None:
        """Writes models in the place of those before, one at a time.

        Args:
            which: `LAST` or `BEST`.
            models: The weights of each client's model with its id, or of the one that all share
                with None.
            round_number: How many rounds they have behind them.
            metrics: Those of their evaluation.
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
            "sha256": _sha256(self._weights(which)),
        }
        write_atomically(self._facts(which), json.dumps(facts, indent=2) + "\n")

    def is_better(self, metrics: Mapping[str, float]) -> bool:
        """Says whether models, by the metrics of their evaluation, are better than the best."""
        facts, name = self._read_facts(BEST), best_by(metrics)
        if facts is None or name not in facts:
            return True
        better, worse = metrics[name], facts[name]
        is_better = better < worse if _BEST_BY[name] else better > worse
        return is_better or math.isnan(worse)

    def facts(self, which: str) -> dict[str, Any]:
        """Returns the `round` of a model and the number that `best_by` names.

        Raises:
            ValueError: If there is no such model, or it is damaged.
        """
        facts = self._read_facts(which)
        if facts is None:
            raise ValueError(
                f"run {self._folder.parent} keeps no {which} model: it is not finished, or an "
                "earlier version made it"
            )
        file = self._weights(which)
        if not file.exists() or _sha256(file) != facts["sha256"]:
            raise ValueError(f"run {self._folder.parent}: {file} is damaged or missing")
        return facts

    def copy(self, which: str, path: pathlib.Path) -> None:
        """Writes the file of weights once more."""
        shutil.copyfile(self._weights(which), path)

    def load(
        self, which: str, model: Any, client_id: str | None = None
    ) -> tff.learning.models.ModelWeights:
        """Returns the weights of a model that has `facts`.

        Args:
            which: `LAST` or `BEST`.
            model: The model of the run.
            client_id: Whose weights; None for those that all clients share.

        Raises:
            ValueError: If there is none of this client, or of all.
        """
        with np.load(self._weights(which), allow_pickle=False) as file:
            names = [name.rpartition("/") for name in file.files]
            owners = dict.fromkeys(owner for owner, _, _ in names)
            if client_id is not None and "" in owners:
                raise ValueError("all clients share the model of this run; leave --client out")
            if (client_id or "") not in owners:
                raise ValueError(
                    "every client of this run has a model of its own; --client must be one of "
                    f"{', '.join(list(owners)[:3])}, …, as in clients.csv, got {client_id!r}"
                )
            prefix = "" if client_id is None else f"{client_id}/"
            owner = client_id or ""
            arrays = {name: file[f"{prefix}{name}"] for of, _, name in names if of == owner}
        return trained_models.from_arrays(arrays, model)

    def _read_facts(self, which: str) -> dict[str, Any] | None:
        try:
            facts = json.loads(self._facts(which).read_text())
            return {name: facts[name] for name in ("round", best_by(facts), "sha256")}
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            return None

    def _weights(self, which: str) -> pathlib.Path:
        return self._folder / f"{which}.npz"

    def _facts(self, which: str) -> pathlib.Path:
        return self._folder / f"{which}.json"


def _sha256(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()
