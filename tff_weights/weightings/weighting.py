"""The weighting: from the cohort's reports and the server's history to the updates' weights."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import tensorflow as tf

from tff_weights.checks import check_integer

if TYPE_CHECKING:  # Code that measures on clients is not needed to weigh them.
    from tff_weights.client_work.reports import AskedField

History = Any
Reports = Mapping[str, tf.Tensor]


class Verdict(enum.IntEnum):
    """What the server does with a round's aggregate."""

    APPLY = 0
    KEEP_MODEL = 1  # Drop the aggregate: w_{t+1} = w_t.
    RESTORE_PREVIOUS = 2  # Drop it and the last applied one too: w_{t+1} = w_{t−1}.


class Weighed(NamedTuple):
    """What a weighting returns for one cohort.

    Attributes:
        weights: `[n]` float32, the final factor of every update: they are added up as they are.
        history: The history after this round, typed like the one received.
        measurements: Structure of tensors to publish with the round's metrics.
        verdict: A `Verdict`'s value, int32, if the weighting gives one.
    """

    weights: tf.Tensor
    history: History
    measurements: Any = collections.OrderedDict()
    verdict: int | tf.Tensor = Verdict.APPLY.value


@dataclasses.dataclass(frozen=True)
class Weighting:
    """How a server weighs its clients: data and a pure function, nothing of TFF.

    Attributes:
        name: The name users see.
        report_fields: The scalars that each client must report: names of built-in ones, see
            `client_work.reports.REPORT_FIELDS`, and the weighting's own `ReportField`s. A weighting
            with no other field than `num_examples` works wherever TFF takes a
            `WeightedAggregationFactory`.
        weigh: `(history, reports) → Weighed`, called once a round. `reports` maps the name of each
            of `report_fields` and `update_fields` to a tensor `[n]`; entry `i` of all of them is
            from the same participant, whose update and report are finite. For `n = 0` only its
            verdict and measurements are used, not its weights and history.
        initial_history: Returns the server's history before the first round, a structure of
            tensors: scalars per client, never whole updates.
        num_clients: The number of clients in the history. A report with a client index outside
            `0..num_clients−1` is left out. `None` without such a history.
        update_fields: Scalars that the aggregator itself measures on each update, see
            `cohort.update_geometry`.
        gram_matrix: Whether `reports["gram_matrix"]` holds `<Δ_i, Δ_j>`, `[n, n]` float32, all
            layers of an update as one vector. The server must then see every single update: inner
            factories that sum securely or add noise are refused. A cohort of `n` clients takes
            `n² d` products for `d` weights, and `n` is bounded, see `gram_matrix.most_clients`.
        mean_weight: The report field that weights the cohort's mean update, where an update field
            is measured against it; `None` for the simple mean.
        gives_verdict: Whether `weigh` returns a verdict, for a finalizer that takes one. Without
            it, a verdict is refused.
        divides_by_rate: Whether it, or what it measures, takes update / learning rate for a sum of
            gradients; then clients must take steps of SGD at one rate a round.
        expected_training: What `LocalTraining` must hold for the weights to be right, by field.
        non_negative: Report fields for whose negative values the weights are not defined; a client
            that reports one is left out.
        drop_in: The call that builds a variant of the weighting for TFF's own builders, which needs
            only `num_examples`; `None` if there is none.
    """

    name: str
    report_fields: tuple[AskedField, ...]
    weigh: Callable[[History, Reports], Weighed]
    initial_history: Callable[[], History] = collections.OrderedDict
    num_clients: int | None = None
    update_fields: tuple[str, ...] = ()
    gram_matrix: bool = False
    mean_weight: str | None = None
    gives_verdict: bool = False
    divides_by_rate: bool = False
    expected_training: Mapping[str, float] = dataclasses.field(default_factory=dict)
    non_negative: tuple[str, ...] = ()
    drop_in: str | None = None

    def __post_init__(self) -> None:
        """Checks the report fields and the number of clients.

        Raises:
            ValueError: If the fields are in no tuple or list, or the number is given and below 1.
        """
        if not isinstance(self.report_fields, (tuple, list)):
            raise ValueError(f"report_fields must be a tuple or list, got {self.report_fields!r}")
        if self.num_clients is not None:
            check_integer("num_clients", self.num_clients, least=1)

    @property
    def report_names(self) -> tuple[str, ...]:
        """The names of the report fields."""
        return tuple(
            field if isinstance(field, str) else field.name for field in self.report_fields
        )


def check_weighed(
    weighting: Weighting, weighed: Any, *, history: History, num_participants: tf.Tensor
) -> Weighed:
    """Checks what a weighting has returned, in the same graph.

    Args:
        weighting: The weighting.
        weighed: What its `weigh` returned.
        history: The history that it was given.
        num_participants: int32 scalar, how many weights there must be.

    Returns:
        The same; the graph ends with an error unless there is one weight for each participant.

    Raises:
        TypeError: If it is no `Weighed`, or weights or history have another dtype.
        ValueError: If weights are not `[n]`, or the history has another structure or shape. If
            there is a verdict, but not `gives_verdict`: it would be lost. If a number is given as
            the verdict, and is none of `Verdict`.
    """
    name = weighting.name
    if not isinstance(weighed, Weighed):
        raise TypeError(
            f"weighting {name!r} must return Weighed(weights, history), got "
            f"{type(weighed).__name__}"
        )
    weights = tf.convert_to_tensor(weighed.weights)
    if weights.dtype != tf.float32:
        raise TypeError(
            f"weighting {name!r} must return float32 weights, got {weights.dtype.name}; "
            "tf.cast makes them so"
        )
    expected = f"weighting {name!r} must return weights of the shape [n], one for each participant"
    if weights.shape.rank not in (None, 1):
        raise ValueError(f"{expected}, got {weights.shape.rank} dimensions")
    if weights.shape.rank == 1 and weights.shape[0] is not None:
        raise ValueError(f"{expected}, got {weights.shape[0]}, however many there are")
    _check_history(name, history, weighed.history)
    # Keys may come in another order.
    ordered = tf.nest.pack_sequence_as(history, tf.nest.flatten(weighed.history))
    weighed = weighed._replace(history=ordered)
    is_default = not tf.is_tensor(weighed.verdict) and weighed.verdict == Verdict.APPLY
    if not (is_default or weighting.gives_verdict):
        raise ValueError(f"weighting {name!r} must return no verdict without gives_verdict=True")
    if not tf.is_tensor(weighed.verdict) and weighed.verdict not in [*Verdict]:
        raise ValueError(f"weighting {name!r} must return a Verdict, got {weighed.verdict!r}")
    is_one_each = tf.debugging.assert_equal(
        tf.shape(weights), num_participants[tf.newaxis], f"{expected}"
    )
    with tf.control_dependencies([is_one_each]):
        return weighed._replace(weights=tf.identity(weights))


def _check_history(name: str, given: History, returned: History) -> None:
    try:
        tf.nest.assert_same_structure(given, returned)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"weighting {name!r} must return a history of the structure of its initial_history: "
            f"{str(error).splitlines()[0]}"
        ) from error
    for old, new in zip(
        tf.nest.flatten(given), map(tf.convert_to_tensor, tf.nest.flatten(returned))
    ):
        if new.dtype != old.dtype:
            raise TypeError(
                f"weighting {name!r} must return a history of its initial_history's dtypes, got "
                f"{new.dtype.name} for {old.dtype.name}"
            )
        if not new.shape.is_compatible_with(old.shape):
            raise ValueError(
                f"weighting {name!r} must return a history of its initial_history's shapes, got "
                f"{new.shape} for {old.shape}"
            )


def normalized(values: tf.Tensor) -> tf.Tensor:
    """Returns `values / Σ values`, or equal shares where the sum is 0.

    Args:
        values: `[n]` float32, not negative.
    """
    total = tf.reduce_sum(values)
    overflows = tf.math.is_inf(total)  # Though each value is finite.
    values = tf.where(overflows, values / tf.reduce_max(values), values)
    total = tf.where(overflows, tf.reduce_sum(values), total)
    return tf.where(total > 0, tf.math.divide_no_nan(values, total), equal_shares(values))


def mean_of(values: tf.Tensor) -> tf.Tensor:
    """Returns the mean of finite `[n]` values, also where their sum overflows."""
    mean = tf.reduce_mean(values)
    small = values / tf.cast(tf.size(values), values.dtype)
    return tf.where(tf.math.is_inf(mean), tf.reduce_sum(small), mean)


def equal_shares(values: tf.Tensor) -> tf.Tensor:
    """Returns `1/n` for each of the `[n]` values, float32."""
    return tf.ones_like(values) / tf.cast(tf.size(values), tf.float32)
