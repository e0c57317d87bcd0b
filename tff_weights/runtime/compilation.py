"""How a computation is compiled before it is run, here or on TFF's worker."""

from __future__ import annotations

from typing import Any

import tensorflow_federated as tff


def compile_natively(computation: Any, *, simulate_secure_aggregation: bool) -> Any:
    """Returns a computation in the form that TFF's native context runs.

    Args:
        computation: The TFF computation.
        simulate_secure_aggregation: Whether secure sums are replaced by sums in the clear.
    """
    if simulate_secure_aggregation:
        computation = tff.backends.test.replace_secure_intrinsics_with_bodies(computation)
    return tff.backends.native.desugar_and_transform_to_native(computation)
