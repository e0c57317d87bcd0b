"""What adds the clients' values up, inside every aggregation of this library."""

from __future__ import annotations

import tensorflow_federated as tff


def inner_sum(
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None,
) -> tff.aggregators.UnweightedAggregationFactory:
    """Returns the inner factory that was chosen, or a plain sum if none was.

    Args:
        inner_factory: A plain, secure, clipped, compressed or differentially private sum, or None.

    Raises:
        TypeError: If it is not an unweighted aggregation factory: the values that it sees are
            weighted already.
    """
    if inner_factory is None:
        return tff.aggregators.SumFactory()
    if not isinstance(inner_factory, tff.aggregators.UnweightedAggregationFactory):
        raise TypeError(
            "inner_factory must be a tff.aggregators.UnweightedAggregationFactory, got "
            f"{type(inner_factory).__name__}"
        )
    return inner_factory
