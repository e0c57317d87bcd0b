"""The parameters of local training: what a client does with its data in one round."""

from __future__ import annotations

import dataclasses
import math

from tff_weights.checks import check_integer, check_number

# Rows and steps are counted by 32 bits.
_TOO_LARGE = 2**31


@dataclasses.dataclass(frozen=True)
class LocalTraining:
    """Momentum SGD with an optional proximal term, from `w_t` to the client's `w_i`.

    One step on mini-batch `b` is `g = ∇F_b(w) + proximal_strength · (w − w_t)`,
    `m ← momentum · m + η_t · g`, `w ← w − m` (FedFa eq. 1–2; FedProx's local objective), with
    `m = 0` at the start of every round. An epoch visits every example once, in batches of
    `batch_size`; its last batch may be smaller and is averaged over what it holds.

    Attributes:
        learning_rate: `η_0 > 0`.
        batch_size: Examples per step, at least 1.
        epochs: Passes over the client's data per round, at least 1; `None` where `steps` is given.
            A number `E` that is not whole means `⌊E n_i / batch_size⌋` steps, at least 1, as
            FedVeca's step budgets need them (section V-A); it may be below 1.
        steps: Steps per round, the same for every client, at least 0; `None` where `epochs` is
            given. Epochs follow each other until the steps are done.
        momentum: `γ` in [0, 1).
        proximal_strength: FedProx's `μ ≥ 0`.
        learning_rate_decay: `η_t = learning_rate · learning_rate_decay^t`, in (0, 1]; round 0 is
            the first.
        shuffle: Whether each epoch goes through the examples in a new random order.
        fresh_batches: Whether every step draws its batch anew from all of the client's examples,
            without replacement within the batch, as FedVeca does; needs `steps` and `shuffle`.
        shuffle_seed: Seeds the orders, and what the model's layers draw (dropout, noise,
            augmentation), statelessly, together with the round and the client index.
        compile_with_xla: Whether the whole local training is one program, compiled with XLA. TFF's
            worker is built without XLA and runs it uncompiled. It pays for small dense models
            (logistic regression, SVM) and loses for convolutions and LSTMs on a CPU. Needs a
            `tff.learning.models.FunctionalModel` whose loss is the weighted mean under
            `sample_weight`, since the last batch of an epoch is padded.
    """

    learning_rate: float
    batch_size: int
    epochs: float | None = None
    steps: int | None = None
    momentum: float = 0.0
    proximal_strength: float = 0.0
    learning_rate_decay: float = 1.0
    shuffle: bool = True
    fresh_batches: bool = False
    shuffle_seed: int = 0
    compile_with_xla: bool = False

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If an argument is outside its documented range; the message names it.
        """
        check_number(
            "learning_rate", self.learning_rate, lambda x: 0 < x < math.inf, "a finite number > 0"
        )
        check_integer("batch_size", self.batch_size, least=1, below=_TOO_LARGE // 2)
        if self.epochs is not None:
            check_number(
                "epochs", self.epochs, lambda x: 0 < x < _TOO_LARGE, "a finite number > 0, < 2**31"
            )
        if self.steps is not None:
            check_integer("steps", self.steps, least=0)
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
        check_number("momentum", self.momentum, lambda x: 0 <= x < 1, "a number in [0, 1)")
        check_number(
            "proximal_strength",
            self.proximal_strength,
            lambda x: 0 <= x < math.inf,
            "a finite number >= 0",
        )
        check_number(
            "learning_rate_decay", self.learning_rate_decay, lambda x: 0 < x <= 1, "in (0, 1]"
        )
        check_integer("shuffle_seed", self.shuffle_seed, least=0)
