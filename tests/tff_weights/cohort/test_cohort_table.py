import collections

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.cohort import cohort_table

_FIELDS = tff.to_type(
    collections.OrderedDict(
        loss=np.float32, client_index=np.int64, num_steps=np.int32, sharp=np.bool_
    )
)


def _clients(num_clients):
    return [
        collections.OrderedDict(
            loss=index + 0.5, client_index=10 + index, num_steps=index**2, sharp=index % 2 == 0
        )
        for index in range(num_clients)
    ]


@tff.tensorflow.computation(_FIELDS)
def _enter(fields):
    reason = cohort_table.reason_to_leave_out(
        unknown_client=tf.equal(fields["client_index"], 11), report_negative=fields["loss"] < 0.0
    )
    return cohort_table.new_entry(fields, reason)


@tff.federated_computation(tff.FederatedType(_FIELDS, tff.CLIENTS))
def _gather(clients):
    return cohort_table.gather_table(tff.federated_map(_enter, clients))


def test_every_column_keeps_its_dtype_and_the_order_of_the_rows():
    assert all(np.shape(column) == (0,) for column in _gather([]).values())
    table = _gather(_clients(3))
    assert _gather.type_signature.result.member == cohort_table.table_type(
        _enter.type_signature.result
    )
    assert list(table) == ["token", "reason", "loss", "client_index", "num_steps", "sharp"]
    dtypes = {name: np.asarray(column).dtype for name, column in table.items()}
    assert dtypes == {
        "token": np.int64,
        "reason": np.int8,
        "loss": np.float32,
        "client_index": np.int64,
        "num_steps": np.int32,
        "sharp": np.bool_,
    }
    rows = sorted(zip(table["client_index"], table["loss"], table["num_steps"], table["sharp"]))
    assert rows == [(10, 0.5, 0, True), (11, 1.5, 1, False), (12, 2.5, 4, True)]


def test_tokens_are_drawn_from_so_many_that_no_two_clients_meet():
    """Of 2⁶⁴ numbers forty lie within ±2⁵⁰ with a probability of less than 10⁻¹⁰⁰."""
    tokens = _gather(_clients(40))["token"]
    assert len(set(tokens.tolist())) == 40
    assert np.abs(tokens).max() > 2**50
