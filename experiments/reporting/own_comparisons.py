"""A user's own comparisons: an artifact from a few settings, and the file that keeps them.

A comparison is not declared in the catalogue. `comparison.json` in its folder holds its settings,
so that the report can show it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declaration import ONLY_SCALE, Artifact, Bars, Curve, Curves, Paper, Scale, Variant
from experiments.declaration.algorithm import TURNS
from experiments.declaration.fairness import (
    ALONE_NOTES,
    FAIRNESS_METRICS,
    FAIRNESS_NOTE,
    REGRESSION_METRICS,
    REGRESSION_NOTE,
    gain_metrics,
)
from experiments.papers import catalogue
from experiments.runs.files import write_atomically

_NAME = "compare"
_FILE = "comparison.json"
_DIGITS = 6
_VALIDATION_NOTE = "Test examples are here the part of each client's training examples held out."
_RECIPES_NOTE = (
    "Every algorithm has its own recipe for the data set, and where its paper has none, or it has "
    "no paper, the data set's; a setting that was given counts for all."
)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Several algorithms on several data sets.

    Attributes:
        methods: By the labels of the table's rows, the algorithm and the settings that differ from
            its recipe.
        seeds: Each number is the seed of data, cohorts, initial weights and shuffling.
        settings: Settings of all methods that differ from the recipes.
        name: The name of its folder; by default the data sets, and a digest of the methods, the
            rounds, the settings and the seeds.
        with_curves: Whether the figure shows curves over the rounds instead of bars.
        is_regression: Whether the labels of all data sets are numbers. Losses and errors are then
            compared instead of accuracies.
    """

    methods: Mapping[str, tuple[str, Mapping[str, Any]]]
    datasets: tuple[str, ...]
    rounds: int
    seeds: tuple[int, ...]
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    command: str = ""
    name: str = ""
    with_curves: bool = False
    is_regression: bool = False

    def __post_init__(self) -> None:
        """Chooses a name; `ValueError` for one that is no folder's, or if nothing is compared."""
        names = [*self.datasets, *(algorithm for algorithm, _ in self.methods.values())]
        if not (self.datasets and self.methods and all(isinstance(each, str) for each in names)):
            raise ValueError(f"datasets and algorithms must be names, one at least, got {names}")
        if not self.name:
            digest = hashlib.sha256(f"{self._runs()} {sorted(self.seeds)}".encode()).hexdigest()
            name = f"{'+'.join(self.datasets)}-{digest[:_DIGITS]}".replace(":", ".")
            object.__setattr__(self, "name", name)
        if "/" in self.name or self.name.startswith("."):
            raise ValueError(f"name must be that of a folder, without a slash, got {self.name!r}")

    def _runs(self) -> str:
        """Says what is run with each seed."""
        said = [list(self.methods.items()), self.datasets, self.rounds, dict(self.settings)]
        return json.dumps(said, sort_keys=True)

    def artifact(self) -> Artifact:
        """Returns it as an artifact: the fairness table, with gains over alone if that is run.

        Raises:
            ValueError: If there is no such algorithm.
        """
        variants = tuple(
            Variant(label, name, settings) for label, (name, settings) in self.methods.items()
        )
        found = {each.label: catalogue.algorithm(each.algorithm) for each in variants}
        alone = [label for label, known in found.items() if known.cohorts == TURNS]
        metrics = (*FAIRNESS_METRICS, *(gain_metrics(alone[0]) if alone else ()))
        notes = (FAIRNESS_NOTE, *(ALONE_NOTES if alone else ()), _RECIPES_NOTE)
        if len(alone) > 1:
            notes = (*notes, f"Gains are over {alone[0]}.")
        accuracy = Curve("evaluation/test_average", "test accuracy, %")
        if self.is_regression:
            metrics, notes = REGRESSION_METRICS, (REGRESSION_NOTE, _RECIPES_NOTE)
            accuracy = Curve("evaluation/test_loss", "test loss")
        if self.settings.get("validation_fraction") is not None:
            notes = (*notes, _VALIDATION_NOTE)
        if number := self.settings.get("clients_per_evaluation"):
            notes = (*notes, f"Only {number} clients, the same ones every time, are evaluated.")
        curves = Curves((Curve("evaluation/train_loss", "training loss"), accuracy))
        return Artifact(
            name=f"{_NAME}/{self.name}",
            title=f"{', '.join(self.methods)} on {', '.join(self.datasets)}",
            datasets=self.datasets,
            variants=variants,
            scales={ONLY_SCALE: Scale(self.rounds, self.settings)},
            reference=variants[0].label,
            metrics=metrics,
            notes=notes,
            view=curves if self.with_curves else Bars(),
            command=self.command,
        )

    def write(self, output_dir: pathlib.Path) -> None:
        """Writes its settings into its folder; `ValueError` if that has others, or another seed."""
        path = output_dir / _NAME / self.name / _FILE
        held = _read(path) if path.exists() else self
        if held._runs() != self._runs() or not {*held.seeds} <= {*self.seeds}:
            raise ValueError(f"{path.parent} holds another comparison; choose another --name")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(dataclasses.asdict(self), indent=2) + "\n")


def read_comparisons(output_dir: pathlib.Path) -> list[Comparison]:
    """Returns the comparisons below a folder of tables, by name.

    Raises:
        ValueError: If a file is no comparison.
    """
    return [_read(path) for path in sorted((output_dir / _NAME).glob(f"*/{_FILE}"))]


def _read(path: pathlib.Path) -> Comparison:
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
        methods = {label: (name, {**given}) for label, (name, given) in fields["methods"].items()}
        sequences = {key: tuple(fields[key]) for key in ("datasets", "seeds")}
        settings = {**fields["settings"]}
        read = Comparison(**{**fields, **sequences, "methods": methods, "settings": settings})
        if read.name != path.parent.name:
            raise ValueError(f"its folder must be named {read.name}")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} is no comparison: {error}") from error
    return read


def as_paper(artifacts: Sequence[Artifact]) -> Paper:
    """Returns the part of the report that shows comparisons."""
    return Paper(
        name=_NAME,
        title="Comparisons of your own",
        citation="No paper: made by `compare`",
        artifacts=tuple(artifacts),
    )
