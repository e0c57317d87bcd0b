"""The plain means: by number of examples, as FedAvg, and with equal weights."""

from __future__ import annotations

from tff_weights.checks import check_one_of
from tff_weights.weightings.weighting import (
    History,
    Reports,
    Weighed,
    Weighting,
    equal_shares,
    normalized,
)


def num_examples_weighting() -> Weighting:
    """Weighs by `p_i = n_i / Σ_j n_j` (McMahan et al. 2017; FedFa eq. 8).

    `WeightingFactory` leaves out clients without examples. Without it, equal weights are given to a
    cohort that has none.
    """

    def weigh(history: History, reports: Reports) -> Weighed:
        return Weighed(normalized(reports["num_examples"]), history)

    return Weighting(
        name="num_examples",
        report_fields=("num_examples",),
        weigh=weigh,
        non_negative=("num_examples",),
    )


def uniform_weighting() -> Weighting:
    """Weighs by `1/K`, `K` the number of participants.

    For clients sampled in proportion to their examples it is the other reading of FedFa's
    Algorithm 1; for clients sampled uniformly it is a plain baseline.
    """

    def weigh(history: History, reports: Reports) -> Weighed:
        return Weighed(equal_shares(reports["num_examples"]), history)

    return Weighting(name="uniform", report_fields=("num_examples",), weigh=weigh)


_PLAIN_WEIGHTINGS = {"num_examples": num_examples_weighting, "uniform": uniform_weighting}


def plain_weighting(name: str, *, argument: str = "weighting") -> Weighting:
    """Returns the weighting of this name, `"num_examples"` or `"uniform"`.

    Args:
        name: Its name.
        argument: The argument's name, for the error.

    Raises:
        ValueError: If it is neither.
    """
    check_one_of(argument, name, _PLAIN_WEIGHTINGS)
    return _PLAIN_WEIGHTINGS[name]()
