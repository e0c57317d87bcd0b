"""The parameters of local training: what a client does with its data in one round."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, get_args

from tff_weights.checks import (
    BELOW_ONE,
    FACTOR,
    NOT_NEGATIVE,
    POSITIVE,
    Range,
    check_integer,
    check_number,
    check_truth_value,
)
from tff_weights.client_work.schedules import Schedule
from tff_weights.client_work.uniform_epochs import UniformEpochs

if TYPE_CHECKING:  # Reading settings needs no TensorFlow, whose import takes seconds.
    import tensorflow_federated as tff

    from tff_weights.client_work.local_loss import LocalLoss

# Rows and steps are counted by 32 bits.
_TOO_LARGE = 2**31
_EPOCHS = Range("a finite number > 0, < 2**31", lambda x: 0 < x < _TOO_LARGE)


@dataclasses.dataclass(frozen=True)
class LocalTraining:
    """Momentum SGD, or another optimizer, with an optional proximal term, from `w_t` to `w_i`.

    One step on mini-batch `b` is `g = ∇F_b(w) + proximal_strength · (w − w_t)`,
    `m ← momentum · m + g`, `w ← w − η_t · m`, as TFF's SGD has it, with `m = 0` at the start of
    every round. While the rate stays the same within a round, this is FedFa's eq. 1–2, where `m`
    holds the rate. FedProx has the local objective. An epoch visits every example once, in batches
    of `batch_size`; its last batch may be smaller and is averaged over what it holds.

    Attributes:
        learning_rate: `η_0 > 0`.
        batch_size: Examples per step, at least 1.
        epochs: Passes over the client's data per round, above 0; `None` where `steps` is given.
            With `UniformEpochs` every client draws its epochs. A number `E` that is not whole means
            `⌊E n_i / batch_size⌋` steps, at least 1, as FedVeca's step budgets need them (section
            V-A).
        steps: Steps per round, the same for every client, at least 0; `None` where `epochs` is
            given. Epochs follow each other until the steps are done.
        extra_step_from: By client index, the round, 0 the first, from which the client takes one
            extra step a round. A client that is not listed takes none. With it, the steps of all
            rounds can add up to any number. `None` for no such step.
        momentum: `γ` in [0, 1), of SGD.
        optimizer: From the learning rate `η_0` to the optimizer that takes `g` instead of
            momentum SGD, such as `tff.learning.optimizers.build_adam`. Its state is new in every
            round and holds the rate `η_t`, as with all optimizers of TFF. It computes in float32,
            for weights of float64 in float64, see `AnyFloatOptimizer`.
        proximal_strength: FedProx's `μ ≥ 0`.
        local_loss: From the mean loss of a mini-batch, a scalar tensor, to the loss that clients
            minimise, a TensorFlow function; by default the same. An `OverExamples` is a function of
            the examples' losses. Reports and metrics keep the plain loss.
        learning_rate_decay: `η_t = learning_rate · learning_rate_decay^t`, in (0, 1]; round 0 is
            the first.
        learning_rate_schedule: Another way for the rate to fall; not together with a decay.
        shuffle: Whether each epoch goes through the examples in a new random order.
        fresh_batches: Whether every step draws its batch from all of the client's examples,
            without replacement within the batch, as FedVeca does; needs `steps` and `shuffle`.
        shuffle_seed: Seeds the orders, and what the model's layers draw (dropout, noise,
            augmentation), statelessly, together with the round and the client index.
        compile_with_xla: Whether the whole local training is one program, compiled with XLA. This
            is faster for small dense models (logistic regression, SVM), and slower for convolutions
            and LSTMs on a CPU. TFF's own context has no XLA and runs it uncompiled. Needs a
            `tff.learning.models.FunctionalModel` whose loss is the weighted mean under
            `sample_weight`, since the last batch of an epoch is padded. Nor may an example's output
            depend on the rest of the batch.
    """

    learning_rate: float
    batch_size: int
    epochs: float | UniformEpochs | None = None
    steps: int | None = None
    extra_step_from: tuple[int, ...] | None = None
    momentum: float = 0.0
    optimizer: Callable[[float], tff.learning.optimizers.Optimizer] | None = None
    proximal_strength: float = 0.0
    local_loss: LocalLoss | None = None
    learning_rate_decay: float = 1.0
    learning_rate_schedule: Schedule | None = None
    shuffle: bool = True
    fresh_batches: bool = False
    shuffle_seed: int = 0
    compile_with_xla: bool = False

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If an argument is outside its documented range; the message names it.
        """
        check_number("learning_rate", self.learning_rate, POSITIVE)
        check_integer("batch_size", self.batch_size, least=1, below=_TOO_LARGE // 2)
        for name in ("shuffle", "fresh_batches", "compile_with_xla"):
            check_truth_value(name, getattr(self, name))
        if self.epochs is not None and not isinstance(self.epochs, UniformEpochs):
            check_number("epochs", self.epochs, _EPOCHS)
        if self.steps is not None:
            check_integer("steps", self.steps, least=0)
        if not isinstance(self.extra_step_from, (tuple, list, type(None))):
            raise ValueError(f"extra_step_from must be a tuple, got {self.extra_step_from!r}")
        for first_round in self.extra_step_from or ():
            check_integer("extra_step_from", first_round, least=0)
        if (self.epochs is None) == (self.steps is None):
            raise ValueError(
                f"exactly one of epochs and steps must be given, got epochs={self.epochs} and "
                f"steps={self.steps}"
            )
        if self.fresh_batches and (self.steps is None or not self.shuffle):
            raise ValueError(
                "fresh_batches needs steps and shuffle=True, got "
                f"steps={self.steps} and shuffle={self.shuffle}"
            )
        check_number("momentum", self.momentum, BELOW_ONE)
        self._check_optimizer()
        if self.local_loss is not None and not callable(self.local_loss):
            raise ValueError(
                "local_loss must be a function from a mini-batch's mean loss, got "
                f"{type(self.local_loss).__name__}"
            )
        check_number("proximal_strength", self.proximal_strength, NOT_NEGATIVE)
        check_number("learning_rate_decay", self.learning_rate_decay, FACTOR)
        check_integer("shuffle_seed", self.shuffle_seed, least=0)

    def _check_optimizer(self) -> None:
        if self.optimizer is not None and not callable(self.optimizer):
            raise ValueError(
                "optimizer must be a function from the learning rate, such as "
                f"tff.learning.optimizers.build_adam, got {type(self.optimizer).__name__}"
            )
        if self.optimizer is not None and self.momentum:
            raise ValueError(
                f"momentum is SGD's: with an optimizer it must be 0, got momentum={self.momentum!r}"
            )
        if self.learning_rate_schedule is None:
            return
        if not isinstance(self.learning_rate_schedule, get_args(Schedule)):
            raise ValueError(
                "learning_rate_schedule must be StepDecay, ExponentialDecay, CosineDecay or None, "
                f"got {self.learning_rate_schedule!r}"
            )
        if self.learning_rate_decay != 1:
            raise ValueError(
                "learning_rate_schedule and learning_rate_decay both set the rate; leave one out, "
                f"got learning_rate_decay={self.learning_rate_decay!r}"
            )

    def with_proximal_strength(self, proximal_strength: float) -> LocalTraining:
        """Returns it with the `μ` that an algorithm has as an argument.

        Raises:
            ValueError: If it has one already, or this one is not a finite number >= 0.
        """
        if self.proximal_strength:
            raise ValueError(
                "local_training.proximal_strength must be 0 where proximal_strength is an "
                f"argument, got {self.proximal_strength!r}"
            )
        return dataclasses.replace(self, proximal_strength=proximal_strength)

    @property
    def differs_from_sgd(self) -> str | None:
        """The setting that makes steps differ from SGD's at one rate a round; None if none does.

        It is asked by algorithms that compute gradients from updates. Momentum does not count.
        """
        if self.optimizer is not None:
            return "optimizer"
        if self.local_loss is not None:
            return "local_loss"
        schedule = self.learning_rate_schedule
        if schedule is not None and schedule.by == "step":
            return "learning_rate_schedule"
        return None


def check_plain_sgd(algorithm: str, local_training: LocalTraining) -> None:
    """Checks that clients take steps of plain SGD, so that update / rate is a sum of gradients.

    Args:
        algorithm: The algorithm that needs it, for the message.
        local_training: The solver's parameters.

    Raises:
        ValueError: If they do not.
    """
    if local_training.momentum or local_training.proximal_strength:
        raise ValueError(
            f"{algorithm} measures the gradients of plain SGD: momentum and proximal_strength must "
            f"be 0, got {local_training.momentum!r} and {local_training.proximal_strength!r}"
        )
    differs = local_training.differs_from_sgd
    if differs is not None:
        raise ValueError(
            f"{algorithm} measures the gradients of plain SGD at one rate a round: {differs} must "
            f"be None, got {getattr(local_training, differs)!r}"
        )
