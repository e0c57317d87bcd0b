"""What adds the clients' values up, inside every aggregation of this library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tensorflow_federated as tff
import tensorflow_privacy as tfp


def inner_sum(
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None,
) -> tff.aggregators.UnweightedAggregationFactory:
    """Returns the inner factory that was chosen, or a plain sum if none was.

    Args:
        inner_factory: A plain, secure, clipped, trimmed, compressed or noisy sum, or None.

    Raises:
        TypeError: If it is not an unweighted aggregation factory: the values that it sees are
            weighted already.
        ValueError: If it is differentially private and divides its sum by a number of clients,
            which would shrink every update without a word. It cannot be seen inside TFF's
            `clipping_factory` and `zeroing_factory`, which hide what is in them. An adaptive clip
            counts the clients on its own, and that number is free.
    """
    if inner_factory is None:
        return tff.aggregators.SumFactory()
    if not isinstance(inner_factory, tff.aggregators.UnweightedAggregationFactory):
        raise TypeError(
            "inner_factory must be a tff.aggregators.UnweightedAggregationFactory, got "
            f"{type(inner_factory).__name__}"
        )
    for divisor in _divisors(inner_factory):
        if divisor != 1:
            raise ValueError(
                "inner_factory must add up what it is given, whose weights sum to 1 already: build "
                f"it with clients_per_round=1, got {divisor!r}; where the clip adapts, wrap a "
                "tensorflow_privacy.QuantileAdaptiveClipSumQuery instead, whose "
                "expected_num_records is the number of clients"
            )
    return inner_factory


def _divisors(part: Any) -> Iterator[Any]:
    """Yields what the queries of a factory, and of those inside it, divide by.

    There is no public way to ask: TFF's factories, and TensorFlow Privacy's queries, keep their
    parts as attributes, whatever these are called. What a quantile's estimator divides is a count
    of clients, not their sum.
    """
    if isinstance(part, tfp.QuantileEstimatorQuery):
        return
    if isinstance(part, tfp.NoPrivacyAverageQuery):
        yield "the number of clients"
    for name, inner in vars(part).items():
        if isinstance(part, tfp.NormalizedQuery) and name == "_denominator":
            yield inner
        elif isinstance(inner, (tff.aggregators.UnweightedAggregationFactory, tfp.DPQuery)):
            yield from _divisors(inner)
