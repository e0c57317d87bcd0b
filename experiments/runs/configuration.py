"""The configuration of one run: everything that decides its numbers, and nothing else."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from experiments.declaration import Hyperparameter
from leaf_data import tasks
from tff_weights import LocalTraining
from tff_weights.checks import check_integer

CLIENT_SAMPLINGS = ("uniform", "proportional")


@dataclasses.dataclass(frozen=True)
class Seeds:
    """The four sources of randomness, each an integer in [0, 2**31).

    Attributes:
        data: Generation and partition of the data set.
        sampling: Which clients form each round's cohort.
        model: The initial weights.
        shuffling: The order of the examples in local training.
    """

    data: int = 0
    sampling: int = 0
    model: int = 0
    shuffling: int = 0

    def __post_init__(self) -> None:
        """Checks the range of every seed.

        Raises:
            ValueError: If one is out of range.
        """
        for field in dataclasses.fields(self):
            check_integer(f"{field.name}_seed", getattr(self, field.name), least=0)


@dataclasses.dataclass(frozen=True)
class RunConfiguration:
    """One run of one algorithm on one data set.

    Attributes:
        algorithm: As `papers.catalogue.algorithm_name` returns it: the name of an algorithm, or
            `module:name` of one's own.
        dataset: As `leaf_data.registry.dataset_name` returns it: a name, or `module:name`.
        model: One of `leaf_data.registry.models(dataset)`, or `module:name`; None becomes the first
            of them, so that configurations are equal where the models are.
        rounds: How many rounds are trained, at least 1.
        clients_per_round: The size `K` of the cohort, at least 1.
        client_sampling: `"uniform"`, or `"proportional"` to the clients' numbers of training
            examples; both without replacement.
        learning_rate: The clients' `η_0`.
        learning_rate_decay: Its factor per round.
        batch_size: Examples per local step.
        epochs: Local epochs per round, or `None` where `steps` is given. For centralized SGD, the
            epochs of the cohort whose steps it takes.
        steps: Local steps per round, or `None` where `epochs` is given. For centralized SGD, its
            own.
        client_momentum: The clients' momentum.
        hyperparameters: The algorithm's own, by the names of its builder's arguments.
        attack_round: In which round, counted from 1, the first client of the cohort replaces the
            model (see `tff_weights.with_model_replacement`), or `None`.
        rounds_per_evaluation: Every how many rounds the clients are evaluated.
        clients_per_evaluation: How many clients are evaluated, always the same ones, drawn from
            those with test examples; `None` for all clients.
        seeds: The seeds.
        leaf_dir: The directory of LEAF's JSON, for the data set `leaf`.
        dataset_options: The data set's own, by the names of `leaf_data.registry.options`.
        sources: The modules outside of this software that the run's algorithm, data set and model
            are from, with checksums of their source, see `leaf_data.extensions.checksums`: a run
            of other source is another run. Not written where there are none.
    """

    algorithm: str
    dataset: str
    rounds: int
    learning_rate: float
    model: str | None = None
    clients_per_round: int = 10
    client_sampling: str = "uniform"
    learning_rate_decay: float = 1.0
    batch_size: int = 10
    epochs: float | None = 20
    steps: int | None = None
    client_momentum: float = 0.0
    hyperparameters: Mapping[str, Hyperparameter] = dataclasses.field(default_factory=dict)
    attack_round: int | None = None
    rounds_per_evaluation: int = 1
    clients_per_evaluation: int | None = None
    seeds: Seeds = Seeds()
    leaf_dir: str | None = None
    dataset_options: Mapping[str, Hyperparameter] = dataclasses.field(default_factory=dict)
    sources: Mapping[str, str | None] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Names the model, and checks the arguments that no part of the algorithm checks.

        Raises:
            ValueError: If one is out of range.
        """
        object.__setattr__(self, "model", tasks.model_name(self.dataset, self.model))
        for name in ("rounds", "clients_per_round", "rounds_per_evaluation"):
            check_integer(name, getattr(self, name), least=1)
        for name in ("attack_round", "clients_per_evaluation"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), least=1)
        if self.attack_round is not None and self.attack_round > self.rounds:
            raise ValueError(
                f"attack_round must be at most the number of rounds, {self.rounds}, got "
                f"{self.attack_round}"
            )
        if self.client_sampling not in CLIENT_SAMPLINGS:
            raise ValueError(
                f"client_sampling must be one of {CLIENT_SAMPLINGS}, got {self.client_sampling!r}"
            )
        self.local_training(compile_with_xla=False)

    def local_training(self, *, compile_with_xla: bool) -> LocalTraining:
        """Returns the clients' part of the configuration.

        Raises:
            ValueError: If an argument is out of range.
        """
        return LocalTraining(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            epochs=self.epochs,
            steps=self.steps,
            momentum=self.client_momentum,
            learning_rate_decay=self.learning_rate_decay,
            shuffle_seed=self.seeds.shuffling,
            compile_with_xla=compile_with_xla,
        )

    def to_json(self) -> str:
        """Returns the configuration as JSON, two equal configurations as the same text."""
        fields = dataclasses.asdict(self)
        if not self.sources:  # As before there were any: finished runs are found by this text.
            del fields["sources"]
        return json.dumps(fields, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> RunConfiguration:
        """Reads what `to_json` wrote.

        Raises:
            ValueError: If the text is no such configuration.
        """
        try:
            fields: dict[str, Any] = json.loads(text)
            return cls(**{**fields, "seeds": Seeds(**fields["seeds"])})
        except (TypeError, KeyError) as error:
            raise ValueError(f"not a run's configuration: {error}") from error
