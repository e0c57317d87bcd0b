"""The algorithms that take any local training, each with its restatement.

A further algorithm is one function in `reference.algorithms` and one line here.
"""

import dataclasses
from functools import partial
from typing import Any, Callable, NamedTuple

import tff_weights as tw
from reference import algorithms
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, simulate_rounds


class Case(NamedTuple):
    """A builder with its arguments, and a round in NumPy."""

    build: Callable[..., Any]
    arguments: dict[str, Any]
    one_round: Callable[..., Any]

    def simulate(self, cohorts=COHORTS):
        """The weights after each round; a proximal term belongs to the local training."""
        training = dataclasses.replace(
            self.arguments.get("local_training", LOCAL_TRAINING),
            proximal_strength=self.arguments.get("proximal_strength", 0.0),
        )
        return simulate_rounds(self.one_round, training, cohorts)


def _with(build, one_round, **both):
    """Of arguments that are called the same in both."""
    return Case(build, both, partial(one_round, **both))


PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)
_OF_PLAIN, _PROXIMAL = {"local_training": PLAIN}, {"proximal_strength": 0.8}
_ALL, _UNIFORM = {"num_clients": len(CLIENTS)}, {"weighting": "uniform"}
_COMPILED = {"local_training": dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True)}
_BY_ENTROPY = {"by": "entropy", "exponent": 2.0, "multiply_by_num_examples": True}
_SERVER = {"server_momentum": 0.5, "server_learning_rate": 0.8}
_IN_NUMPY = {"momentum": 0.5, "learning_rate": 0.8}
_MEASURED = (
    "loss_before,loss_after,accuracy_after,batch_loss_sum_before,label_entropy,num_examples,"
    "gradient_distance_to_mean"
)

CASES = {
    "fed_avg": Case(tw.build_fed_avg, {"measured": _MEASURED}, algorithms.fed_avg),
    "fed_prox": Case(
        tw.build_fed_prox, {**_UNIFORM, **_PROXIMAL}, partial(algorithms.fed_avg, **_UNIFORM)
    ),
    "q_fed_avg": Case(tw.build_q_fed_avg, {}, partial(algorithms.q_fed_avg, q=1.0)),
    "fed_fa": Case(
        tw.build_fed_fa,
        {**_ALL, **_SERVER, **_COMPILED},
        partial(algorithms.fed_fa, alpha=0.5, **_IN_NUMPY),
    ),
    "fed_fa every third round": Case(
        tw.build_fed_fa,
        {
            **{"alpha": 0.3, "beta": 0.7, "accuracy_at": "before", "momentum_every_rounds": 3},
            **_ALL,
            **_SERVER,
        },
        partial(algorithms.fed_fa, alpha=0.3, accuracy_at="before", every_rounds=3, **_IN_NUMPY),
    ),
    "fed_fa_mo by examples every other round": Case(
        tw.build_fed_fa_mo,
        {"weighting": "num_examples", "momentum_every_rounds": 2, **_SERVER},
        partial(algorithms.fed_fa_mo, weighting="num_examples", every_rounds=2, **_IN_NUMPY),
    ),
    "fed_adp": Case(
        tw.build_fed_adp, {**_ALL, "measured": "gradient_distance_to_mean"}, algorithms.fed_adp
    ),
    "wei_avg": Case(tw.build_wei_avg, _OF_PLAIN, algorithms.wei_avg),
    "wei_avg by entropy, proximal": Case(
        tw.build_wei_avg,
        {**_OF_PLAIN, **_PROXIMAL, **_BY_ENTROPY},
        partial(algorithms.wei_avg, **_BY_ENTROPY),
    ),
    "fed_cav audited": Case(
        tw.build_fed_cav,
        {"audit": True, "loss_reduction": "sum"},
        partial(algorithms.fed_cav, audit=True, loss_reduction="sum"),
    ),
    "fed_nova with momentum": Case(tw.build_fed_nova, _COMPILED, algorithms.fed_nova),
    "term": _with(tw.build_term, algorithms.term, tilt=2.0),
    "term over examples": _with(tw.build_term, algorithms.term, tilt=2.0, example_tilt=-1.5),
    "term over examples, compiled": Case(
        tw.build_term,
        {"tilt": -0.5, "example_tilt": 3.0, **_COMPILED},
        partial(algorithms.term, tilt=-0.5, example_tilt=3.0),
    ),
    "fed_eba": _with(tw.build_fed_eba, algorithms.fed_eba, temperature=0.5),
    "afl": _with(tw.build_afl, algorithms.afl, mixture_rate=0.1, **_ALL),
    "aagg_ff_s": _with(tw.build_aagg_ff_s, algorithms.aagg_ff_s, **_ALL),
    "aagg_ff_d": _with(tw.build_aagg_ff_d, algorithms.aagg_ff_d, **_ALL),
    "fed_disco": _with(tw.build_fed_disco, algorithms.fed_disco, discount=0.5, offset=0.1),
    "fed_mgda": _with(tw.build_fed_mgda, algorithms.fed_mgda, epsilon=0.1, step_size=0.5),
    "fed_fv": _with(tw.build_fed_fv, algorithms.fed_fv, alpha=0.3),
    "prop_fair": _with(tw.build_prop_fair, algorithms.prop_fair, baseline=2.0, epsilon=0.5),
    "fed_nova proximal": Case(tw.build_fed_nova, {**_OF_PLAIN, **_PROXIMAL}, algorithms.fed_nova),
}
