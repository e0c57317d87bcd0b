"""How the learning rate falls, from round to round or from local step to local step.

TensorFlow is imported where a rate is computed: settings are read without it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Union

from tff_weights.checks import FACTOR, SHARE, check_integer, check_number, check_one_of

if TYPE_CHECKING:
    import tensorflow as tf

_BY = ("round", "step")


@dataclasses.dataclass(frozen=True)
class StepDecay:
    """`η_t = η_0 · factor^⌊t / every⌋`.

    Attributes:
        factor: In (0, 1].
        every: Rounds or steps, at least 1.
        by: What `t` counts from 0 on: `"round"`, or `"step"`, the local steps of a round.
    """

    factor: float
    every: int
    by: str = "round"

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If one is out of range; the message names it.
        """
        check_number("learning_rate_schedule.factor", self.factor, FACTOR)
        check_integer("learning_rate_schedule.every", self.every, least=1)
        check_one_of("learning_rate_schedule.by", self.by, _BY)

    def __call__(self, count: tf.Tensor) -> tf.Tensor:
        """Returns the factor of `η_0`, a float32 scalar, from an int32 scalar."""
        import tensorflow as tf

        return tf.constant(self.factor, tf.float32) ** tf.cast(count // self.every, tf.float32)


@dataclasses.dataclass(frozen=True)
class ExponentialDecay:
    """`η_t = η_0 · factor^t`; by rounds the same as `LocalTraining.learning_rate_decay`.

    Attributes:
        factor: In (0, 1].
        by: As for `StepDecay`.
    """

    factor: float
    by: str = "round"

    def __post_init__(self) -> None:
        """Checks every argument, see `StepDecay`."""
        check_number("learning_rate_schedule.factor", self.factor, FACTOR)
        check_one_of("learning_rate_schedule.by", self.by, _BY)

    def __call__(self, count: tf.Tensor) -> tf.Tensor:
        """Returns the factor of `η_0`, a float32 scalar, from an int32 scalar."""
        import tensorflow as tf

        return tf.constant(self.factor, tf.float32) ** tf.cast(count, tf.float32)


@dataclasses.dataclass(frozen=True)
class CosineDecay:
    """`η_t = η_0 (least + (1 − least) (1 + cos(π t / over)) / 2)`, from `t = over` on `η_0 least`.

    Loshchilov & Hutter, ICLR 2017, without restarts.

    Attributes:
        over: Rounds or steps, at least 1.
        least: The last factor, in [0, 1].
        by: As for `StepDecay`.
    """

    over: int
    least: float = 0.0
    by: str = "round"

    def __post_init__(self) -> None:
        """Checks every argument, see `StepDecay`."""
        check_integer("learning_rate_schedule.over", self.over, least=1)
        check_number("learning_rate_schedule.least", self.least, SHARE)
        check_one_of("learning_rate_schedule.by", self.by, _BY)

    def __call__(self, count: tf.Tensor) -> tf.Tensor:
        """Returns the factor of `η_0`, a float32 scalar, from an int32 scalar."""
        import tensorflow as tf

        done = tf.minimum(tf.cast(count, tf.float32) / self.over, 1.0)
        return self.least + (1.0 - self.least) * 0.5 * (1.0 + tf.cos(math.pi * done))


Schedule = Union[StepDecay, ExponentialDecay, CosineDecay]
