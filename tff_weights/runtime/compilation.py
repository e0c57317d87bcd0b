"""How a computation is compiled before it is run."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow_federated as tff
from tensorflow_federated.python.core.backends.test import compiler as test_compiler
from tensorflow_federated.python.core.environments.tensorflow_backend import (
    compiled_computation_transformations,
    tensorflow_tree_transformations,
)

SECURE_PREFIX = "federated_secure_"

# As TFF's native context has it.
_REWRITING = tf.compat.v1.ConfigProto()
_options = _REWRITING.graph_options.rewrite_options
_options.memory_optimization = _options.AGGRESSIVE
_options.constant_folding = _options.AGGRESSIVE
_options.arithmetic_optimization = _options.AGGRESSIVE
_options.loop_optimization = _options.AGGRESSIVE
_options.function_optimization = _options.AGGRESSIVE


def compile_natively(
    computation: Any, *, simulate_secure_aggregation: bool
) -> tff.framework.ComputationBuildingBlock:
    """Returns a computation in the form that TFF's native context runs.

    The result is that of `tff.backends.test.replace_secure_intrinsics_with_bodies` and then
    `tff.backends.native.desugar_and_transform_to_native`. They serialise it in between and rewrite
    equal graphs one by one, which takes up to twice as long.

    Args:
        computation: The TFF computation.
        simulate_secure_aggregation: Whether secure sums are replaced by sums in the clear.

    Raises:
        ValueError: If it holds a secure sum that is not replaced.
    """
    block = computation.to_building_block()
    if simulate_secure_aggregation:
        block, _ = test_compiler._replace_secure_intrinsics_with_insecure_bodies(block)
    else:
        _refuse_secure_sums(block)
    block, _ = tensorflow_tree_transformations.replace_intrinsics_with_bodies(block)
    return _with_rewritten_graphs(tff.framework.to_call_dominant(block))


def _refuse_secure_sums(block: tff.framework.ComputationBuildingBlock) -> None:
    def refuse(block: tff.framework.ComputationBuildingBlock) -> tuple[Any, bool]:
        if isinstance(block, tff.framework.Intrinsic) and block.uri.startswith(SECURE_PREFIX):
            raise ValueError(
                f"{block.uri} is a protocol between machines, which no simulation has: compute it "
                "in the clear with runtime.use(runtime.ProgramOptions("
                "simulate_secure_aggregation=True))."
            )
        return block, False

    tff.framework.transform_postorder(block, refuse)


def _with_rewritten_graphs(block: Any) -> tff.framework.ComputationBuildingBlock:
    """Returns a computation whose graphs are rewritten now instead of at their execution."""
    rewritten: dict[bytes, Any] = {}

    def rewrite(block: tff.framework.ComputationBuildingBlock) -> tuple[Any, bool]:
        if (
            not isinstance(block, tff.framework.CompiledComputation)
            or block.proto.WhichOneof("computation") != "tensorflow"
        ):
            return block, False
        key = block.proto.SerializeToString(deterministic=True)
        if key not in rewritten:
            transformations = compiled_computation_transformations
            graph, _ = transformations.optimize_tensorflow_graphs(block, _REWRITING)
            rewritten[key], _ = transformations.transform_tf_call_ops_to_disable_grappler(graph)
        return rewritten[key], True

    return tff.framework.transform_postorder(block, rewrite)[0]
