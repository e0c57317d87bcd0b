"""The configuration of one run: everything that decides its numbers, and nothing else."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from typing import Any

from experiments.declaration import Hyperparameter
from experiments.runs import local_work
from experiments.runs.options import DATA, SEEDS, check_kind, option, options
from tff_weights.checks import Range, check_integer, check_number
from tff_weights.client_work.local_training import LocalTraining

CLIENT_SAMPLINGS = ("uniform", "proportional")
BOTH, _ = EVALUATED_DATA = ("both", "test")
DROPPED, IN_LAST_ROUNDS = STEP_REMAINDERS = ("dropped", "last_rounds")

_seed = functools.partial(option, default=0, topic=SEEDS, least=0, suffix="_seed")
_of_a_method = functools.partial(option, of_a_method=True)
_of_a_budget = functools.partial(option, of_a_budget=True)
_of_both = functools.partial(option, of_a_method=True, of_a_budget=True)


@dataclasses.dataclass(frozen=True)
class Seeds:
    """The four sources of randomness, each an integer in [0, 2**31)."""

    data: int = _seed("Seeds the data set and its partition.", of_a_budget=True)
    sampling: int = _seed("Seeds the cohorts.")
    model: int = _seed("Seeds the initial weights.")
    shuffling: int = _seed("Seeds the order of the examples in local training.")

    def __post_init__(self) -> None:
        """Raises `ValueError` if a seed is out of range."""
        for field in dataclasses.fields(self):
            check_integer(f"{field.name}_seed", getattr(self, field.name), least=0)


# The number of the identity's schema. Raise it when equal runs would get another identity.
SCHEMA = 1


@dataclasses.dataclass(frozen=True)
class RunConfiguration:
    """One run of one algorithm on one data set, as `configuration.json` has it.

    What is named here is looked up once, by `configure.resolve`.

    A field with an `option` is declared only here. Its flag, the help, the methods of `compare` and
    the output of `describe` are made from it.

    Attributes:
        algorithm: As `papers.catalogue.named_algorithm` returns it: a name, or `module:name`.
        dataset: As `leaf_data.registry.dataset_name` returns it: a name, or `module:name`.
        hyperparameters: The algorithm's own, by the names of its builder's arguments.
        dataset_options: The data set's own, by the names of `leaf_data.registry.options`.
        sources: Users' modules with the run's algorithm, data set and model, with checksums of
            their source. With another source it is another run.
    """

    algorithm: str
    dataset: str
    learning_rate: float = _of_a_method(
        "The clients' learning rate, above 0. Data of your own have no recipe: give one.", least=0.0
    )
    model: str | None = _of_a_budget(
        "The model, where the data set has several; by default the first. Or module:name, a "
        "function of your own that builds one in Keras or TFF.",
        None,
        topic=DATA,
    )
    rounds: int = _of_a_budget("How many rounds to train.", 100, least=1)
    clients_per_round: int = _of_both("Clients in each round's cohort.", 10, least=1)
    client_sampling: str = _of_a_method(
        "How a cohort is drawn: uniformly, or in proportion to the clients' numbers of training "
        "examples; both without replacement.",
        "uniform",
        choices=CLIENT_SAMPLINGS,
    )
    rounds_per_evaluation: int = option(
        "The clients are evaluated every so many rounds.", 1, least=1
    )
    evaluated_data: str = option(
        "On which of the clients' data: on training and test data, or on test data alone, which is "
        "faster. After the last round it is both.",
        BOTH,
        choices=EVALUATED_DATA,
    )
    target_accuracy: float | None = option(
        "Training ends once an evaluation finds this percentage of all test examples of the "
        "evaluated clients right, above 0 and at most 100. By default after all rounds.",
        None,
        least=0.0,
        most=100.0,
    )
    least_rounds: int = option(
        "The rounds that are trained even if the target accuracy is reached before.", 1, least=1
    )
    clients_per_evaluation: int | None = option(
        "How many clients are evaluated, the same ones every time, drawn from those with test "
        "examples, for data sets whose evaluation would take longer than their training. By "
        "default all.",
        None,
        least=1,
    )
    learning_rate_decay: float = _of_a_method(
        "The learning rate's factor from round to round, at most 1.", 1.0, least=0.0
    )
    batch_size: int = _of_both("Examples per local step.", 10, least=1)
    epochs: float | None = _of_a_method(
        "Local epochs per round, unless steps are given. E that is not whole means "
        "floor(E n / batch_size) steps. For centralized SGD, the epochs of the cohort whose steps "
        "it takes.",
        20,
        least=0.0,
    )
    steps: int | None = _of_a_method(
        "Local steps per round, not epochs. For centralized SGD, its own.", None, least=0
    )
    step_remainder: str = _of_a_method(
        "What becomes of the part of a step that E n / batch_size has, where E is not whole: it is "
        "dropped in every round. Or clients take as many steps as all rounds' parts make together "
        "in their last rounds, one more in each; all clients must take part in every round. Such a "
        "run cannot be lengthened.",
        DROPPED,
        choices=STEP_REMAINDERS,
    )
    client_momentum: float = _of_a_method("Clients' momentum, below 1.", 0.0, least=0.0, most=1.0)
    epochs_per_client: str | None = _of_a_method(
        "In the place of epochs: uniform(LEAST,MOST), whole epochs that every client draws in "
        "every round; with uniform(LEAST,MOST,SHARE) that share draws, the others take MOST.",
        None,
    )
    learning_rate_schedule: str | None = _of_a_method(
        "How the learning rate falls, instead of a decay: step(FACTOR,EVERY), "
        "exponential(FACTOR) or cosine(OVER), by rounds; with by=step, as in cosine(50,by=step), "
        "by the local steps of each round.",
        None,
    )
    client_optimizer: str | None = _of_a_method(
        "The clients' optimizer instead of momentum SGD: adagrad, adam, adamw, "
        "rmsprop or yogi; what differs from TFF's defaults in brackets, as in adam(beta_1=0.8).",
        None,
    )
    attack_round: int | None = option(
        "fed_avg, fed_prox, fed_cav, prop_fair: the round, from 1 on, in which the first client of "
        "the cohort replaces the model. By default none.",
        None,
        least=1,
    )
    leaf_dir: str | None = _of_a_budget(
        "leaf, leaf_femnist: the folder with train/*.json and test/*.json. Flat lists of pixels "
        "become images with --dataset=leaf --dataset_option=shape=28x28.",
        None,
        topic=DATA,
    )
    validation_fraction: float | None = _of_a_budget(
        "The share of each client's training examples, above 0 and below 1, that is held out and "
        "evaluated instead of its test examples, to choose settings by. By default none.",
        None,
        topic=DATA,
        least=0.0,
        most=1.0,
    )
    lengthened_at: str | None = option(
        "trained_alone: the rounds, by commas, at which a finished run was lengthened, on which it "
        "depends whose turn it is later; --resume sets it.",
        None,
    )
    hyperparameters: Mapping[str, Hyperparameter] = dataclasses.field(default_factory=dict)
    seeds: Seeds = Seeds()
    dataset_options: Mapping[str, Hyperparameter] = dataclasses.field(default_factory=dict)
    sources: Mapping[str, str | None] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises `ValueError` if an argument is out of range."""
        for name in ("hyperparameters", "dataset_options", "sources"):
            object.__setattr__(self, name, dict(getattr(self, name)))
        check_kind("algorithm", self.algorithm, str)
        for name, said in options(type(self)).items():
            value = getattr(self, name)
            if value is None and said.default is None:
                continue
            if said.kind is int and said.least is not None:
                check_integer(name, value, least=int(said.least))
            if value is not None:
                check_kind(name, value, said.kind)
            if said.choices and value not in said.choices:
                raise ValueError(f"{name} must be one of {said.choices}, got {value!r}")
        if self.target_accuracy is not None:
            target = self.target_accuracy
            check_number("target_accuracy", target, Range("in (0, 100]", lambda x: 0 < x <= 100))
        if self.least_rounds > (1 if self.target_accuracy is None else self.rounds):
            raise ValueError(
                "least_rounds must be 1 without a target_accuracy, and at most the number of "
                f"rounds with one, {self.rounds}, got {self.least_rounds}"
            )
        if self.target_accuracy is not None and self.step_remainder == IN_LAST_ROUNDS:
            raise ValueError(
                f"step_remainder must be {DROPPED} with a target_accuracy, which may end a run "
                f"before its last rounds, got {self.step_remainder}"
            )
        if self.validation_fraction is not None and not 0 < self.validation_fraction < 1:
            raise ValueError(
                f"validation_fraction must be in (0, 1), got {self.validation_fraction}"
            )
        if (self.attack_round or 0) > self.rounds:
            raise ValueError(
                f"attack_round must be at most the number of rounds, {self.rounds}, got "
                f"{self.attack_round}"
            )
        if list(self.lengthened_after) != sorted({0, *self.lengthened_after, self.rounds})[1:-1]:
            raise ValueError(
                "lengthened_at must be rounds in increasing order, from 1 on and below "
                f"{self.rounds}, the number of rounds, got {self.lengthened_at!r}"
            )
        self.local_training(compile_with_xla=False)

    @property
    def asked_data(self) -> str:
        """The settings that decide the data, as text: where it is equal, the data must be, too."""
        asked = self.dataset, self.dataset_options, self.leaf_dir, self.validation_fraction
        return repr((*asked, self.seeds.data))

    @property
    def lengthened_after(self) -> tuple[int, ...]:
        """The rounds at which the run was lengthened, or `ValueError` if they are no numbers."""
        try:
            return tuple(map(int, self.lengthened_at.split(","))) if self.lengthened_at else ()
        except ValueError:
            raise ValueError(
                f"lengthened_at must be whole numbers by commas, got {self.lengthened_at!r}"
            ) from None

    def local_training(self, *, compile_with_xla: bool) -> LocalTraining:
        """Returns the clients' part of the configuration, or raises `ValueError`."""
        drawn = local_work.read("epochs_per_client", self.epochs_per_client)
        if drawn is not None and (self.epochs, self.steps) != (None, None):
            raise ValueError(
                "epochs_per_client, epochs and steps all set the steps; leave all but one out, got "
                f"epochs={self.epochs} and steps={self.steps}"
            )
        schedule = local_work.read("learning_rate_schedule", self.learning_rate_schedule)
        return LocalTraining(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            epochs=self.epochs if drawn is None else drawn,
            steps=self.steps,
            momentum=self.client_momentum,
            optimizer=local_work.read("client_optimizer", self.client_optimizer),
            learning_rate_decay=self.learning_rate_decay,
            learning_rate_schedule=schedule,
            shuffle_seed=self.seeds.shuffling,
            compile_with_xla=compile_with_xla,
        )

    def to_json(self) -> str:
        """Returns the configuration as JSON, with every default."""
        fields = {"schema": SCHEMA, **dataclasses.asdict(self)}
        return json.dumps(fields, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> RunConfiguration:
        """Reads what `to_json` wrote.

        Raises:
            ValueError: If the text is no such configuration.
        """
        try:
            fields: dict[str, Any] = json.loads(text)
            check_schema(fields.pop("schema", SCHEMA))
            return cls(**{**fields, "seeds": Seeds(**fields["seeds"])})
        except (AttributeError, TypeError, KeyError) as error:
            raise ValueError(f"not a run's configuration: {error}") from error


def check_schema(schema: object) -> None:
    """Raises `ValueError` if the form of a written configuration is unknown."""
    if schema != SCHEMA:
        raise ValueError(f"schema must be {SCHEMA}, got {schema!r}")
