"""FedEBA+'s weights: those with the largest entropy for a given mean loss."""

from __future__ import annotations

import tensorflow as tf

from tff_weights.checks import POSITIVE, check_number, check_one_of
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting

_LOSS_FIELDS = {"after": "loss_after", "before": "loss_before"}
_PRIORS = ("uniform", "num_examples")


def fed_eba_weighting(
    *, temperature: float = 0.1, prior: str = "uniform", loss_at: str = "after"
) -> Weighting:
    """Weighs by `q_i e^{F_i / T} / Σ_j q_j e^{F_j / T}` (FedEBA+; Wang et al., eq. 3).

    Among the weights under which the clients' losses have a given mean, these have the largest
    entropy; with a prior `q`, the smallest divergence from it.

    This is the paper's aggregation, without its alignment of updates (`α = 0`), which has clients
    talk with the server twice a round. FedCav's softmax is the same formula with `T = 1`, a uniform
    prior, and losses before training that are clipped at their mean.

    Decision: the paper's full text was not available. A review says that Algorithm 1 takes the loss
    of each client's own model, which `loss_at="after"` is.

    Args:
        temperature: `T > 0`; a large one gives the prior.
        prior: `q`: `"uniform"`, or `"num_examples"` for `n_i / Σ_j n_j`.
        loss_at: Which model's loss on the client's training data counts, the one `"after"` local
            training or the received one, `"before"` it.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_number("temperature", temperature, POSITIVE)
    check_one_of("prior", prior, _PRIORS)
    check_one_of("loss_at", loss_at, _LOSS_FIELDS)
    loss_field = _LOSS_FIELDS[loss_at]
    sizes = ("num_examples",) if prior == "num_examples" else ()

    def weigh(history: History, reports: Reports) -> Weighed:
        loss = reports[loss_field]
        # Softmax does not change if the largest loss is subtracted. Otherwise a small T makes
        # exponents infinite.
        scores = (loss - tf.reduce_max(loss)) / temperature
        if sizes:
            scores += tf.math.log(reports["num_examples"])
        return Weighed(tf.nn.softmax(scores), history)

    return Weighting(
        name="fed_eba", report_fields=(loss_field, *sizes), weigh=weigh, non_negative=sizes
    )
