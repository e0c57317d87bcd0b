"""FedAdp's weights: clients whose update points along the mean update count more."""

from __future__ import annotations

import collections

import tensorflow as tf

from tff_weights.checks import POSITIVE, check_integer, check_number, check_one_of
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting

SMOOTHINGS = ("participation", "round", "none")


def fed_adp_weighting(
    *, num_clients: int | None = None, alpha: float = 5.0, smoothing: str = "participation"
) -> Weighting:
    """Weighs by the smoothed angle between each update and the mean update (FedAdp eq. 8–11).

    `θ_i` is the angle in radians between `Δ_i` and `Σ p_i Δ_i`, all layers as one vector. Its mean
    over the rounds is `θ̃_i(t) = ((t − 1) θ̃_i(t − 1) + θ_i(t)) / t` (eq. 9). The weight is
    `n_i e^{f(θ̃_i)} / Σ_j n_j e^{f(θ̃_j)}` (eq. 11), with the Gompertz function
    `f(θ) = α (1 − e^{−e^{−α(θ − 1)}})` (eq. 10).

    Decisions where the paper is silent: see `smoothing`; an update or a mean of zero length has
    the angle π/2; one participant has weight 1.

    Args:
        num_clients: The number of clients in all; needed unless `smoothing` is `"none"`.
        alpha: `α > 0` of eq. 10.
        smoothing: What `t` counts in eq. 9. `"participation"` counts the client's own rounds; where
            all take part, as in the paper, that is the round's number. `"round"` counts the rounds
            of the process in which an update counts. `"none"` takes `θ_i(t)` itself and keeps no
            history, so that the weighting works as `model_aggregator=` of any TFF builder.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_number("alpha", alpha, POSITIVE)
    check_one_of("smoothing", smoothing, SMOOTHINGS)
    if num_clients is not None:
        check_integer("num_clients", num_clients, least=1)

    def gompertz_weights(angle: tf.Tensor, reports: Reports) -> tf.Tensor:
        contribution = alpha * (1.0 - tf.exp(-tf.exp(-alpha * (angle - 1.0))))  # eq. 10
        # eq. 11; the largest exponent is taken out so that nothing overflows.
        scores = reports["num_examples"] * tf.exp(contribution - tf.reduce_max(contribution))
        return tf.math.divide_no_nan(scores, tf.reduce_sum(scores))

    if smoothing == "none":

        def weigh_by_angle(history: History, reports: Reports) -> Weighed:
            return Weighed(gompertz_weights(reports["angle_to_mean"], reports), history)

        return Weighting(
            name="fed_adp",
            report_fields=("num_examples",),
            update_fields=("angle_to_mean",),
            mean_weight="num_examples",
            weigh=weigh_by_angle,
            non_negative=("num_examples",),
        )

    # Only smoothing needs a history of the clients.
    if num_clients is None:
        raise ValueError(
            f"num_clients must be given for smoothing={smoothing!r}, got None; "
            'smoothing="none" needs neither the number of clients nor their indices'
        )

    def initial_history() -> History:
        return collections.OrderedDict(
            smoothed_angle=tf.zeros([num_clients]),
            participations=tf.zeros([num_clients], tf.int64),
            rounds=tf.constant(0, tf.int64),
        )

    def weigh_by_smoothed_angle(history: History, reports: Reports) -> Weighed:
        index = reports["client_index"]
        rows = index[:, tf.newaxis]
        rounds = history["rounds"] + 1
        participations = tf.gather(history["participations"], index) + 1
        # A client's first angle is its smoothed angle, also in a later round.
        is_first = tf.equal(participations, 1)
        count = tf.cast(participations if smoothing == "participation" else rounds, tf.float32)
        earlier = tf.gather(history["smoothed_angle"], index)
        angle = tf.where(
            is_first,
            reports["angle_to_mean"],
            ((count - 1.0) * earlier + reports["angle_to_mean"]) / count,  # eq. 9
        )
        return Weighed(
            gompertz_weights(angle, reports),
            collections.OrderedDict(
                smoothed_angle=tf.tensor_scatter_nd_update(history["smoothed_angle"], rows, angle),
                participations=tf.tensor_scatter_nd_update(
                    history["participations"], rows, participations
                ),
                rounds=rounds,
            ),
            measurements=collections.OrderedDict(smoothed_angle=angle),
        )

    return Weighting(
        name="fed_adp",
        report_fields=("client_index", "num_examples"),
        update_fields=("angle_to_mean",),
        mean_weight="num_examples",
        weigh=weigh_by_smoothed_angle,
        initial_history=initial_history,
        num_clients=num_clients,
        non_negative=("num_examples",),
        drop_in='fed_adp_weighting(smoothing="none")',
    )
