"""What an algorithm is to the experiments: its builder, its protocol, and the parts of its runs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Union

from experiments.declaration import builder as builders
from leaf_data import extensions
from tff_weights.protocol import Protocol

if TYPE_CHECKING:
    import tensorflow_federated as tff

# From the algorithm's hyperparameters to what a client then receives and sends.
ProtocolOf = Callable[[Mapping[str, Any]], Protocol]
# A part of a run, or `module:name` of it, which is imported when a run needs it.
Part = Union[str, Callable[..., Any]]

NOTHING_SENT = Protocol(models_down=0, models_up=0)

SAMPLED_COHORTS = "experiments.runs.client_sampling:sampled_cohorts"
POWER_OF_CHOICE = "experiments.runs.power_of_choice:power_of_choice"
DRAWN_BY_PROCESS = "experiments.runs.client_sampling:drawn_by_process"
TURNS = "experiments.runs.client_sampling:turns"
DATA_OF_CLIENTS = "experiments.runs.round_data:DataOfClients"
POOLED_DATA = "experiments.runs.round_data:PooledData"
GLOBAL_MODEL = "experiments.runs.task_evaluation:of_global_model"
OWN_MODELS = "experiments.runs.task_evaluation:of_own_models"


@dataclasses.dataclass(frozen=True)
class FineTunedModel:
    """The evaluation of the global model, fine-tuned on each client by the run's local training.

    Attributes:
        steps: How many local steps each client takes before it is evaluated, at least 0.
    """

    steps: int

    def __call__(self, prepared: Any) -> Any:
        """Returns the `runs.task_evaluation.RunEvaluation` of a `runs.training.PreparedRun`."""
        build = extensions.load("experiments.runs.task_evaluation:of_fine_tuned_model")
        return build(prepared, steps=self.steps)


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes:
        builder: Its builder, `(model, *, local_training, ...) → LearningProcess`, or `module:name`,
            which is imported when the algorithm is built. The run gives the arguments in
            `builder.OF_THE_RUN`; all others are hyperparameters.
        protocol: What a client receives and sends in one round of the paper's algorithm. Numbers of
            examples are not counted, since they do not change.
        cohorts: Chooses the clients of each round. It takes a run and its task, and returns a
            function `(round_number, state) → indices`. Round numbers begin with 1, and the state is
            the one before the round. This function must depend on the run's seed and its two
            arguments alone, so that a resumed run selects the same clients.
        data: What clients train on, and how many steps they take: an object such as
            `runs.round_data.DataOfClients`.
        evaluation: Which model is evaluated: `GLOBAL_MODEL`, each client's own (`OWN_MODELS`),
            `FineTunedModel(steps)`, or another function from a `runs.training.PreparedRun` to a
            `runs.task_evaluation.RunEvaluation`.
        gives_step_budget: Whether its server sets the clients' local steps. Other algorithms are
            then compared with it at the same number of steps.
        attacked: If this is another algorithm under an attack, that algorithm. It gives the style
            in figures, and an attacked algorithm is left out where all algorithms are compared.
        color: Its color in figures, `#rrggbb`. If None, its name decides.
        marker: Its marker in figures, as Matplotlib names it. If None, its name decides.
    """

    builder: str | Callable[..., tff.learning.templates.LearningProcess]
    protocol: Protocol | ProtocolOf = Protocol()
    cohorts: Part = SAMPLED_COHORTS
    data: Part = DATA_OF_CLIENTS
    evaluation: Part = GLOBAL_MODEL
    gives_step_budget: bool = False
    attacked: str | None = None
    color: str | None = None
    marker: str | None = None

    def part(self, name: str) -> Any:
        """Returns a part itself, by the name of its attribute.

        Raises:
            ValueError: If it cannot be imported.
        """
        chosen = getattr(self, name)
        return extensions.load(chosen) if isinstance(chosen, str) else chosen

    @functools.cached_property
    def hyperparameters(self) -> Mapping[str, builders.Argument]:
        """Its own hyperparameters by name, read off its builder's signature and docstring."""
        outline = extensions.outline(self.builder) if isinstance(self.builder, str) else None
        return builders.hyperparameters(outline or self.part("builder"))
