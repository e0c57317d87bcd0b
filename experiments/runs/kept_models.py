"""The models that a run leaves behind: after its last round, and where it was best."""

from __future__ import annotations

import hashlib
import json
import math
import pathlib
import tempfile
from collections.abc import Mapping
from typing import Any

import tensorflow_federated as tff

from experiments.runs.files import write_atomically, write_bytes_atomically
from tff_weights import trained_models

LAST, BEST = "last", "best"
# The first of them that an evaluation has, and whether a smaller number is the better.
_BEST_BY = {"test_average": False, "test_loss": True}


def best_by(measured: Mapping[str, Any]) -> str:
    """Returns the name of the number by which models of one's kind are compared.

    Args:
        measured: The metrics of an evaluation, or what `KeptModels.load` says of a model.
    """
    return next(name for name in _BEST_BY if name in measured)


class KeptModels:
    """The files of one folder: the weights of a model, and beside them of which round they are.

    The best model is the first with the highest `test_average`, or without an accuracy the lowest
    `test_loss`, of all evaluations in the table of rounds. A run that repeats rounds after an
    interruption finds the same one.
    """

    def __init__(self, folder: pathlib.Path):
        """Names the files; writes nothing.

        Args:
            folder: It is made when something is kept.
        """
        self._folder = folder

    def keep(
        self,
        which: str,
        weights: tff.learning.models.ModelWeights,
        *,
        round_number: int,
        metrics: Mapping[str, float],
    ) -> None:
        """Writes a model in the place of the one before.

        Args:
            which: `LAST` or `BEST`.
            weights: Its weights.
            round_number: How many rounds it has behind it.
            metrics: Those of its evaluation.
        """
        self._folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as temporary:
            file = pathlib.Path(temporary) / "weights.npz"
            trained_models.save_weights(weights, file)
            content = file.read_bytes()
        write_bytes_atomically(self._weights(which), content)
        said = {
            "round": round_number,
            best_by(metrics): metrics[best_by(metrics)],
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        write_atomically(self._said(which), json.dumps(said, indent=2) + "\n")

    def is_better(self, metrics: Mapping[str, float]) -> bool:
        """Says whether a model, by the metrics of its evaluation, is better than the best kept."""
        said, name = self._read(BEST), best_by(metrics)
        if said is None or name not in said:
            return True
        better, worse = metrics[name], said[name]
        is_better = better < worse if _BEST_BY[name] else better > worse
        return is_better or math.isnan(worse)

    def load(
        self, which: str, model: Any
    ) -> tuple[tff.learning.models.ModelWeights, dict[str, Any]]:
        """Returns a model's weights, and `round` and the number that `best_by` names.

        Args:
            which: `LAST` or `BEST`.
            model: The model of the run.

        Raises:
            ValueError: If there is no such model, or it is damaged.
        """
        said = self._read(which)
        if said is None:
            raise ValueError(
                f"run {self._folder.parent} keeps no {which} model: it is not finished, has none,"
                " or was made by an earlier version"
            )
        file = self._weights(which)
        if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != said["sha256"]:
            raise ValueError(f"run {self._folder.parent}: {file} is damaged or missing")
        return trained_models.load_weights(file, model), said

    def _read(self, which: str) -> dict[str, Any] | None:
        try:
            said = json.loads(self._said(which).read_text())
            return {name: said[name] for name in ("round", best_by(said), "sha256")}
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            return None

    def _weights(self, which: str) -> pathlib.Path:
        return self._folder / f"{which}.npz"

    def _said(self, which: str) -> pathlib.Path:
        return self._folder / f"{which}.json"
