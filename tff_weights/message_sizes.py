"""How much a process sends: counted from its types, before anything runs."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import tensorflow_federated as tff

from tff_weights.checks import check_integer
from tff_weights.protocol import Protocol

_BROADCASTS = (tff.framework.FEDERATED_BROADCAST.uri,)
_SELECTIONS = ("federated_secure_select", "federated_select")
_AGGREGATIONS = (
    "federated_aggregate",
    "federated_max",
    "federated_mean",
    "federated_min",
    "federated_secure_modular_sum",
    "federated_secure_sum",
    "federated_secure_sum_bitwidth",
    "federated_sum",
    "federated_weighted_mean",
)

_SCALAR_BYTES = 4


@dataclasses.dataclass(frozen=True)
class Communication:
    """What one client receives and sends in one round, in bytes of tensors by their types.

    Encodings inside an intrinsic, such as a secure sum's, and framing are not counted.

    Attributes:
        bytes_down: From the server to a client.
        bytes_up: From a client to the server.
    """

    bytes_down: int
    bytes_up: int


def communication(
    process: tff.templates.IterativeProcess, *, clients_per_round: int
) -> Communication:
    """Counts what the `next` of a process sends to and from each client of a cohort.

    Every broadcast, selection and aggregation counts with the type of what is sent. A dimension
    that is open at compile time, as in the table of weights, has one entry per client of the
    cohort. A selection sends the keys up, and for each of them what is selected down.

    Args:
        process: Any TFF process whose `next` is federated.
        clients_per_round: The size of the cohort, at least 1.

    Raises:
        ValueError: If `clients_per_round` is less than 1.
    """
    check_integer("clients_per_round", clients_per_round, least=1)
    down = up = 0

    def count(block: tff.framework.ComputationBuildingBlock) -> tuple[object, bool]:
        nonlocal down, up
        if isinstance(block, tff.framework.Call) and isinstance(
            block.function, tff.framework.Intrinsic
        ):
            crossing = block.argument.type_signature
            if block.function.uri in _BROADCASTS:
                down += _num_bytes(crossing.member, clients_per_round)
            elif block.function.uri in _SELECTIONS:
                keys, _, _, select = crossing
                num_keys = math.prod(keys.member.shape)
                down += num_keys * _num_bytes(select.result, clients_per_round)
                up += _num_bytes(keys.member, clients_per_round)
            elif block.function.uri in _AGGREGATIONS:
                # Only the arguments placed at clients are sent; the others are parameters.
                arguments = crossing if isinstance(crossing, tff.StructType) else [crossing]
                up += sum(
                    _num_bytes(argument.member, clients_per_round)
                    for argument in arguments
                    if isinstance(argument, tff.FederatedType) and argument.placement is tff.CLIENTS
                )
        return block, False

    tff.framework.transform_postorder(process.next.to_building_block(), count)
    return Communication(bytes_down=down, bytes_up=up)


def communication_by_protocol(
    process: tff.learning.templates.LearningProcess, protocol: Protocol
) -> Communication:
    """Counts the bytes for the same model if client and server communicate as in the paper.

    The process may send more. A paper's server holds every update, and measures it against the mean
    by itself. Here no single update reaches the server, so clients measure, and upload twice. Every
    weighting's reports and weights are sent as a table.

    Args:
        process: A process that trains the model; nothing but the model's type is taken from it.
        protocol: The paper's.

    Returns:
        Vectors have the type of the trainable weights, and a single number has 4 bytes. The model
        also includes weights that are not trained.
    """
    weights_type = process.get_model_weights.type_signature.result
    model, trainable = _num_bytes(weights_type, 1), _num_bytes(weights_type.trainable, 1)
    return Communication(
        bytes_down=protocol.models_down * trainable
        + (model - trainable if protocol.models_down else 0)
        + protocol.scalars_down * _SCALAR_BYTES,
        bytes_up=protocol.models_up * trainable + protocol.scalars_up * _SCALAR_BYTES,
    )


def _num_bytes(value_type: tff.Type, clients_per_round: int) -> int:
    if isinstance(value_type, tff.TensorType):
        size = math.prod(
            clients_per_round if dimension is None else dimension
            for dimension in value_type.shape or ()
        )
        return size * np.dtype(value_type.dtype).itemsize
    return sum(_num_bytes(child, clients_per_round) for child in value_type.children())
