"""How a computation is compiled before it is run."""

from __future__ import annotations

from typing import Any

import tensorflow_federated as tff

_SECURE_PREFIX = "federated_secure_"


def compile_natively(computation: Any, *, simulate_secure_aggregation: bool) -> Any:
    """Returns a computation in the form that TFF's native context runs.

    Args:
        computation: The TFF computation.
        simulate_secure_aggregation: Whether secure sums are replaced by sums in the clear.

    Raises:
        ValueError: If it holds a secure sum that is not replaced.
    """
    if simulate_secure_aggregation:
        computation = tff.backends.test.replace_secure_intrinsics_with_bodies(computation)
    else:
        _refuse_secure_sums(computation)
    return tff.backends.native.desugar_and_transform_to_native(computation)


def _refuse_secure_sums(computation: Any) -> None:
    def refuse(block: tff.framework.ComputationBuildingBlock) -> tuple[Any, bool]:
        if isinstance(block, tff.framework.Intrinsic) and block.uri.startswith(_SECURE_PREFIX):
            raise ValueError(
                f"{block.uri} is a protocol between machines, which no simulation has: compute it "
                "in the clear with runtime.use(runtime.ProgramOptions("
                "simulate_secure_aggregation=True))."
            )
        return block, False

    tff.framework.transform_postorder(computation.to_building_block(), refuse)
