"""FedDisco's weights: clients count more the nearer their labels are to an even distribution."""

from __future__ import annotations

import math

import tensorflow as tf

from tff_weights.checks import FINITE, NOT_NEGATIVE, check_number, check_one_of
from tff_weights.client_work.reports import LocalRun, ReportField
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized


def fed_disco_weighting(
    *, discount: float = 0.5, offset: float = 0.1, metric: str = "kl"
) -> Weighting:
    """Weighs by size and label discrepancy (FedDisco; Ye et al., ICML 2023).

    1. `d_i` is the discrepancy between the shares `D_i` of the `C` classes among the client's
       labels and the even ones, `1/C`: `Σ_c D_ic log(C D_ic)` or `√(Σ_c (D_ic − 1/C)²)`.
    2. `ω_i = ReLU(p_i − a d_i + b) / Σ_j ReLU(p_j − a d_j + b)`, with `p_i = n_i / Σ_j n_j`.

    The client reports `d_i`, in a report field of this weighting's own.

    Decisions: divergences are divided by their sum over the cohort, as in the authors' code, so
    that `a` does not depend on `C`. Where no score is positive the weights are `p_i`; the code
    fails there. `C` is the number of the model's outputs, 2 if it has one.

    Args:
        discount: `a ≥ 0`, how much the discrepancy counts.
        offset: `b`, a finite number that is added to every score; with `a = b = 0` this is FedAvg.
        metric: `"kl"`, the Kullback–Leibler divergence, or `"l2"`, the distance.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_number("discount", discount, NOT_NEGATIVE)
    check_number("offset", offset, FINITE)
    check_one_of("metric", metric, _DISCREPANCIES)
    field = ReportField("label_discrepancy", _DISCREPANCIES[metric], uses=("label_entropy",))

    def weigh(history: History, reports: Reports) -> Weighed:
        shares = normalized(reports["num_examples"])
        discrepancy = reports["label_discrepancy"]
        if metric == "kl":
            discrepancy = tf.math.divide_no_nan(discrepancy, tf.reduce_sum(discrepancy))
        score = tf.nn.relu(shares - discount * discrepancy + offset)
        is_any = tf.reduce_any(score > 0)
        return Weighed(normalized(tf.where(is_any, score, shares)), history)

    return Weighting(
        name="fed_disco",
        report_fields=("num_examples", field),
        weigh=weigh,
        non_negative=("num_examples",),
    )


def _divergence(run: LocalRun) -> tf.Tensor:
    shares = run.label_shares
    divergence = tf.reduce_sum(shares * tf.math.log(shares * _num_classes(run)))
    # Without examples it would be the smallest discrepancy. For even shares, rounding may make it
    # negative.
    return _if_of_classes(shares, run, tf.maximum(divergence, 0.0))


def _distance(run: LocalRun) -> tf.Tensor:
    shares = run.label_shares
    # Σ (D − 1/C)² = Σ D² − 1/C, where classes that the client lacks count too.
    squared = tf.reduce_sum(shares**2) - 1.0 / _num_classes(run)
    return _if_of_classes(shares, run, tf.sqrt(tf.maximum(squared, 0.0)))


def _if_of_classes(shares: tf.Tensor, run: LocalRun, discrepancy: tf.Tensor) -> tf.Tensor:
    """Returns NaN without examples, or with more labels than the model has classes."""
    size = tf.cast(tf.size(shares), tf.float32)
    return tf.where((size > 0) & (size <= _num_classes(run)), discrepancy, math.nan)


def _num_classes(run: LocalRun) -> float:
    """Reads the number of outputs; nothing else of the evaluation is computed."""
    batch = tf.nest.map_structure(lambda x: x[:1], run.data.examples)
    predictions = run.model.evaluate(run.weights_before, batch, None).predictions
    num_outputs = predictions.shape[-1] if predictions.shape.rank > 1 else 1
    return float(max(num_outputs, 2))


_DISCREPANCIES = {"kl": _divergence, "l2": _distance}
