"""Algorithms that differ from FedAvg by their weights alone: a builder adds one weighting to SGD.

In round `t` every client of the cohort trains from `w_t` to `w_i`, and the server takes
`w_{t+1} = w_t + Σ weight_i (w_i − w_t)`. The weighting that a builder names says what the weights
are, and what the clients report for them.
"""

from __future__ import annotations

import dataclasses

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.aagg_ff_d import aagg_ff_d_weighting
from tff_weights.weightings.aagg_ff_s import aagg_ff_s_weighting
from tff_weights.weightings.afl import afl_weighting
from tff_weights.weightings.fed_disco import fed_disco_weighting
from tff_weights.weightings.fed_eba import fed_eba_weighting
from tff_weights.weightings.fed_fv import fed_fv_weighting
from tff_weights.weightings.fed_mgda import fed_mgda_weighting
from tff_weights.weightings.q_fair import q_fair_weighting
from tff_weights.weightings.term import term_weighting, tilted_local_loss


def build_q_fed_avg(
    model: Model,
    *,
    local_training: LocalTraining,
    q: float = 1.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds q-FedAvg, which solves q-FFL (Li et al., ICLR 2020, Algorithm 2; FedFa's "q-Fair").

    The weights are those of `q_fair_weighting`.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        q: In [0, ∞): the larger, the fairer; 0 gives the unweighted mean of the clients' models.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If `q` is negative or not finite.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=q_fair_weighting(q=q),
        inner_factory=inner_factory,
    )


def build_term(
    model: Model,
    *,
    local_training: LocalTraining,
    tilt: float = 0.1,
    example_tilt: float = 0.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds TERM over clients, and over the examples of each (Li et al., ICLR 2021).

    The weights are those of `term_weighting`. With an `example_tilt` clients minimise the
    `tilted_loss` of every mini-batch; metrics are of the plain loss.

    Args:
        model: See `compose_algorithm`. With an `example_tilt` it must show its loss, as a
            `FunctionalModel` does, and `from_keras_model` with one loss.
        local_training: See `compose_algorithm`; with an `example_tilt` its own `local_loss` must be
            None.
        tilt: `t`: above 0 the largest losses count more, below 0 less; 0 is FedAvg.
        example_tilt: `τ`, the same for the examples of a client; 0 is the plain mean.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range, a local loss is given twice, or
            the model does not show its loss and `example_tilt` is not 0.
    """
    weighting = term_weighting(tilt=tilt, example_tilt=example_tilt)
    if example_tilt:
        if local_training.local_loss is not None:
            raise ValueError(
                "local_training.local_loss must be None: TERM with an example_tilt has its own"
            )
        local_training = dataclasses.replace(
            local_training, local_loss=tilted_local_loss(example_tilt)
        )
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=weighting,
        inner_factory=inner_factory,
    )


def build_fed_eba(
    model: Model,
    *,
    local_training: LocalTraining,
    temperature: float = 0.1,
    prior: str = "uniform",
    loss_at: str = "after",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedEBA+'s entropy-based aggregation (Wang et al., eq. 3).

    The weights are those of `fed_eba_weighting`. The paper's alignment of updates is left out,
    `α = 0`.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        temperature: `T > 0`; a large one gives the prior.
        prior: What the weights are without losses: `"uniform"` or `"num_examples"`.
        loss_at: Which model's loss counts, the one `"after"` local training or the received
            one, `"before"` it.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_eba_weighting(temperature=temperature, prior=prior, loss_at=loss_at),
        inner_factory=inner_factory,
    )


def build_afl(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    mixture_rate: float = 0.1,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds AFL (Mohri, Sivek and Suresh, ICML 2019, Algorithm 1).

    The weights are those of `afl_weighting`.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        num_clients: The number of clients in all.
        mixture_rate: `γ ≥ 0`, how fast the mixture follows the losses; 0 is the simple mean.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=afl_weighting(num_clients=num_clients, mixture_rate=mixture_rate),
        inner_factory=inner_factory,
    )


def build_aagg_ff_s(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    distribution: str = "weibull",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds AAggFF-S (Hahn, Kim and Lee, ICML 2024, Algorithm 2).

    The weights are those of `aagg_ff_s_weighting`.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        num_clients: The number of clients in all.
        distribution: Whose distribution function bounds the losses: `"weibull"`,
            `"exponential"`, `"frechet"`, `"normal"`, `"gumbel"` or `"logistic"`.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=aagg_ff_s_weighting(num_clients=num_clients, distribution=distribution),
        inner_factory=inner_factory,
    )


def build_aagg_ff_d(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    distribution: str = "weibull",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds AAggFF-D (Hahn, Kim and Lee, ICML 2024, Algorithm 3).

    The weights are those of `aagg_ff_d_weighting`.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        num_clients: The number of clients in all.
        distribution: Whose distribution function bounds the losses: `"weibull"`,
            `"exponential"`, `"frechet"`, `"normal"`, `"gumbel"` or `"logistic"`.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=aagg_ff_d_weighting(num_clients=num_clients, distribution=distribution),
        inner_factory=inner_factory,
    )


def build_fed_disco(
    model: Model,
    *,
    local_training: LocalTraining,
    discount: float = 0.5,
    offset: float = 0.1,
    metric: str = "kl",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedDisco (Ye et al., ICML 2023).

    The weights are those of `fed_disco_weighting`. The labels must be classes.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        discount: `a ≥ 0`, how much the discrepancy of the labels counts.
        offset: `b`, what is added to every score.
        metric: The discrepancy: `"kl"`, a divergence relative to the cohort's, or `"l2"`, a
            distance.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_disco_weighting(discount=discount, offset=offset, metric=metric),
        inner_factory=inner_factory,
    )


def build_fed_mgda(
    model: Model,
    *,
    local_training: LocalTraining,
    epsilon: float = 0.1,
    prior: str = "num_examples",
    normalize: bool = True,
    step_size: float = 1.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedMGDA+ (Hu et al., IEEE TNSE 2022, Algorithm 1).

    The weights are those of `fed_mgda_weighting`. The server sees every update.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        epsilon: In [0, 1], how far a weight may be from the prior.
        prior: The weights to stay near to: `"num_examples"` or `"uniform"`.
        normalize: Whether updates are normalised.
        step_size: `η > 0`, the length of the server's step, as a multiple of the shortest mean.
        inner_factory: See `compose_algorithm`; one that sums securely or adds noise is refused.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_mgda_weighting(
            epsilon=epsilon, prior=prior, normalize=normalize, step_size=step_size
        ),
        inner_factory=inner_factory,
    )


def build_fed_fv(
    model: Model,
    *,
    local_training: LocalTraining,
    alpha: float = 0.1,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedFV without stored updates, `τ = 0` (Wang et al., IJCAI 2021).

    The weights are those of `fed_fv_weighting`. The server sees every update.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        alpha: In [0, 1], the share of the clients, those with the largest losses, that keep their
            updates; 1 is the simple mean.
        inner_factory: See `compose_algorithm`; one that sums securely or adds noise is refused.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_fv_weighting(alpha=alpha),
        inner_factory=inner_factory,
    )
