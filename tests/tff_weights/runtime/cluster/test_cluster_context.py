"""A cohort spread over two actors gives what it gives inside the program."""

from __future__ import annotations

import collections
import dataclasses
import gc
import os
import signal
import threading

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.federation import CLIENTS, LOCAL_TRAINING
from reference.problem import Examples, client_data, functional_model

import tff_weights
from tff_weights import runtime
from tff_weights.runtime import ClusterError, ClusterOptions
from tff_weights.runtime.cluster.hosts import Hosts, Step

_NUM_CLIENTS = len(CLIENTS)
_COHORTS = ([0, 1, 2], [3, 4, 5, 1], [2, 0])
_VECTOR = tff.TensorType(np.float32, [2])
_NUMBERS = tff.SequenceType(np.float32)


@pytest.fixture(scope="module")
def cluster(ray_session):
    """Two actors for the tests of this module."""
    with runtime.using(ClusterOptions(workers=2)):
        yield tff.framework.get_context_stack().current


_context = tff.framework.get_context_stack().install


@pytest.fixture(scope="module")
def program():
    """The runtime inside the program."""
    with runtime.using():
        yield tff.framework.get_context_stack().current


def _assert_equal(ours, theirs, tolerance=1e-6):
    tf.nest.assert_same_structure(ours, theirs)
    for one, other in zip(tf.nest.flatten(ours), tf.nest.flatten(theirs)):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@tff.tensorflow.computation(_VECTOR, np.float32)
def _scale(vector, factor):
    return vector * factor


@tff.tensorflow.computation(_NUMBERS)
def _total(numbers):
    return numbers.reduce(0.0, tf.add)


@tff.tensorflow.computation(_NUMBERS)
def _doubled(numbers):
    return numbers.map(lambda number: 2.0 * number)


@tff.federated_computation(tff.FederatedType(_NUMBERS, tff.CLIENTS))
def _sum_of_totals(numbers):
    return tff.federated_sum(tff.federated_map(_total, numbers))


@tff.tensorflow.computation
def _random():
    return tf.random.uniform([], maxval=2**62, dtype=tf.int64)


@tff.tensorflow.computation
def _no_numbers():
    return tf.boolean_mask(tf.zeros([1]), [False])


_LIST = _no_numbers.type_signature.result


@tff.tensorflow.computation(_LIST, np.float32)
def _append(numbers, number):
    return tf.concat([numbers, [number]], 0)


@tff.tensorflow.computation(_LIST, _LIST)
def _concatenate(one, other):
    return tf.concat([one, other], 0)


@tff.tensorflow.computation(_LIST)
def _as_it_is(numbers):
    return numbers


@tff.federated_computation(
    tff.FederatedType(_VECTOR, tff.CLIENTS),
    tff.FederatedType(_NUMBERS, tff.CLIENTS),
    tff.FederatedType(np.float32, tff.SERVER),
    tff.FederatedType(np.float32, tff.CLIENTS, all_equal=True),
)
def _everything(vectors, numbers, server, everywhere):
    totals = tff.federated_map(_total, numbers)
    factor = tff.federated_broadcast(server)
    scaled = tff.federated_map(_scale, (vectors, factor))
    by_lambda = tff.federated_map(
        tff.federated_computation(
            lambda pair: _scale(pair[0], pair[1]), tff.to_type([_VECTOR, np.float32])
        ),
        tff.federated_zip((scaled, everywhere)),
    )
    return collections.OrderedDict(
        sum=tff.federated_sum(by_lambda),
        mean=tff.federated_mean(scaled, totals),
        order=tff.federated_aggregate(totals, _no_numbers(), _append, _concatenate, _as_it_is),
        biggest=tff.federated_max(totals),
        at_clients=tff.federated_zip((by_lambda, totals, everywhere)),
        numbers=tff.federated_map(_doubled, numbers),
        everywhere=factor,
    )


def _clients(sizes, seed=0):
    generator = np.random.default_rng(seed)
    vectors = [generator.normal(size=2).astype(np.float32) for _ in sizes]
    numbers = [
        tf.data.Dataset.from_tensor_slices(generator.normal(size=size).astype(np.float32))
        for size in sizes
    ]
    return vectors, numbers


@pytest.mark.parametrize("sizes", [[3, 50, 7, 0, 21, 4, 9], [5], [0], [2, 2], []])
def test_all_that_is_done_at_clients_agrees_with_the_program(sizes, cluster, program):
    """Uneven shares, one client for two actors, none at all, and clients without examples."""
    vectors, numbers = _clients(sizes)
    results = []
    for context in (cluster, program):
        with _context(context):
            result = _everything(vectors, numbers, 0.5, 3.0)
        result["numbers"] = [list(one.as_numpy_iterator()) for one in result["numbers"]]
        results.append(result)
    ours, theirs = results
    assert len(ours["at_clients"]) == len(ours["numbers"]) == len(sizes)
    _assert_equal(ours, theirs)
    expected = [sum(one.as_numpy_iterator()) for one in numbers]
    np.testing.assert_allclose(ours["order"], expected, rtol=1e-5)


def test_clients_draw_numbers_of_their_own(cluster):
    @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
    def draw(values):
        return tff.federated_zip((values, tff.federated_eval(_random, tff.CLIENTS)))

    with _context(cluster):
        drawn = [number for _, number in draw([1.0, 2.0, 3.0, 4.0])]
    assert len(set(drawn)) == 4


def test_clients_select_from_the_server(cluster, program):
    @tff.tensorflow.computation(_LIST, np.int32)
    def row(table, key):
        return table[key]

    @tff.federated_computation(
        tff.FederatedType(tff.TensorType(np.int32, [2]), tff.CLIENTS),
        tff.FederatedType(_LIST, tff.SERVER),
    )
    def select(keys, table):
        rows = tff.federated_select(keys, tff.federated_value(9, tff.SERVER), table, row)
        return tff.federated_aggregate(
            tff.federated_map(_total, rows), _no_numbers(), _append, _concatenate, _as_it_is
        )

    keys = [np.int32(one) for one in ([0, 1], [1, 2], [2, 2])]
    for context in (cluster, program):
        with _context(context):
            assert select(keys, np.float32([1, 2, 4])).tolist() == [3.0, 6.0, 8.0]


def test_data_are_sent_once_and_forgotten_with_the_program(cluster):
    """1,000 numbers at two clients are 8,000 bytes; afterwards only what to do is sent."""
    data = [tf.data.Dataset.from_tensor_slices(tf.ones([1000])) for _ in range(2)]
    with _context(cluster):
        sent = []
        for cohort in (data, data, data[:1], data[::-1]):
            before = runtime.traffic()
            assert _sum_of_totals(cohort) == 1000 * len(cohort)
            sent.append((runtime.traffic() - before).bytes_sent)
        assert sent[0] > 8000
        assert max(sent[1:]) < 2000
        placed = cluster._placement._placed
        assert all(dataset in placed for dataset in data)
        keys = {placed[dataset].key for dataset in data}
        del data, cohort
        gc.collect()
        assert not keys & {one.key for one in placed.values()}
        assert all(keys <= set(forgotten) for forgotten in cluster._hosts._forgotten)


def test_a_variable_of_a_data_set_is_read_in_every_round(cluster):
    """3 with the factor 1, then 6 with 2."""
    factor = tf.Variable(1.0)
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(lambda number: number * factor)
    with _context(cluster):
        assert _sum_of_totals([numbers]) == 3.0
        factor.assign(2.0)
        assert _sum_of_totals([numbers]) == 6.0


def test_a_model_goes_to_every_actor_once_and_its_sum_comes_back_once(cluster):
    """400,000 bytes for each of two actors, whose sums begin with zeros that are not sent."""
    model = tff.TensorType(np.float32, [100_000])
    scale = tff.tensorflow.computation(lambda model, factor: model * factor, [model, np.float32])

    @tff.federated_computation(
        tff.FederatedType(model, tff.SERVER), tff.FederatedType(np.float32, tff.CLIENTS)
    )
    def train(model, factors):
        trained = tff.federated_map(scale, (tff.federated_broadcast(model), factors))
        return tff.federated_sum(trained)

    with _context(cluster):
        before = runtime.traffic()
        assert set(train(np.ones([100_000], np.float32), [1.0, 2.0, 3.0])) == {6.0}
        moved = runtime.traffic() - before
    assert all(800_000 < each < 880_000 for each in (moved.bytes_sent, moved.bytes_received))


def test_new_clients_are_dealt_evenly(cluster):
    """Largest first, each to the less loaded: 8, 5 + 4, then 3 + 2 = 11 to 11."""
    _, numbers = _clients([2, 3, 8, 5, 4])
    with _context(cluster):
        _sum_of_totals(numbers)
    by_host = [0, 0]
    for one in numbers:
        placed = cluster._placement._placed[one]
        (index,) = placed.hosts
        by_host[index] += placed.num_bytes // 4
    assert by_host == [11, 11]


def test_an_error_at_a_client_is_raised_here(cluster):
    @tff.tensorflow.computation(np.int32)
    def check(number):
        with tf.control_dependencies([tf.debugging.assert_less(number, 3, message="too much")]):
            return tf.identity(number)

    @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
    def check_all(numbers):
        return tff.federated_sum(tff.federated_map(check, numbers))

    with _context(cluster):
        with pytest.raises(tf.errors.InvalidArgumentError, match="too much"):
            check_all([1, 2, 3])
        assert check_all([1, 2]) == 3


# What each algorithm is told beside its defaults.
_ALGORITHMS = {
    "scaffold": {"num_clients": _NUM_CLIENTS},
    "fed_adp": {"num_clients": _NUM_CLIENTS},
    "fed_cav": {"audit": True},
}


def _rounds(algorithm, clients, store_dir):
    arguments = dict(_ALGORITHMS[algorithm])
    if algorithm == "scaffold":
        arguments["variates_dir"] = store_dir
    process = getattr(tff_weights, f"build_{algorithm}")(
        functional_model(),
        local_training=dataclasses.replace(LOCAL_TRAINING, momentum=0.0),
        **arguments,
    )
    state, metrics = process.initialize(), []
    for cohort in _COHORTS:
        output = process.next(state, [clients[index] for index in cohort])
        state = output.state
        metrics.append(output.metrics)
    return process.get_model_weights(state), metrics


@pytest.mark.parametrize(
    "algorithm",
    [
        "scaffold",
        pytest.param("fed_adp", marks=pytest.mark.long),
        pytest.param("fed_cav", marks=pytest.mark.long),
    ],
)
def test_algorithms_agree_with_the_program(algorithm, cluster, program, tmp_path):
    """Weights, and all metrics in the order of the cohort; one client has no examples.

    Of the metrics, FedAdp's small angles are arc cosines, which make rounding ten times as large.
    """
    examples = [*CLIENTS[:-1], Examples(CLIENTS[-1].x[:0], CLIENTS[-1].y[:0])]
    clients = [client_data(index, one) for index, one in enumerate(examples)]
    with _context(cluster):
        ours, our_metrics = _rounds(algorithm, clients, tmp_path / "ours")
    with _context(program):
        theirs, their_metrics = _rounds(algorithm, clients, tmp_path / "theirs")
    _assert_equal(ours, theirs)
    _assert_equal(our_metrics, their_metrics, tolerance=2e-5)


@tff.tensorflow.computation(np.int32)
def _count_up_to(number):
    return tf.while_loop(lambda i: i < number, lambda i: i + 1, [tf.constant(0)])[0]


@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
def _count(numbers):
    return tff.federated_sum(tff.federated_map(_count_up_to, numbers))


@pytest.mark.long
def test_an_actor_that_is_lost_ends_the_computation(ray_session):
    """Killed while it counts to 2,000,000,000, and not there for the next computation either."""
    with runtime.using(ClusterOptions(workers=1)):
        assert _count([1, 2]) == 3
        pid = int(tff.framework.get_context_stack().current._hosts._nodes[0].rpartition(" ")[2])
        killer = threading.Timer(1.0, os.kill, [pid, signal.SIGKILL])
        killer.start()
        lost = rf"Actor 1 of 1 of the Ray cluster \(node .*, process {pid}\) was lost.*--resume"
        with pytest.raises(ClusterError, match=lost):
            _count([2 * 10**9])
        killer.join()
        with pytest.raises(ClusterError, match=lost):
            _count([1])


def test_closed_hosts_are_told_and_asked_nothing(ray_session):
    """Ray would end the program where its session has been the last."""
    del ray_session
    hosts = Hosts(ClusterOptions(workers=1))
    told = hosts.tell(0, Step("greet"))
    assert hosts.ask([told], [], lambda: None) == []
    hosts.close()
    for call in (
        lambda: hosts.tell(0, Step("greet")),
        lambda: hosts.share(b""),
        lambda: hosts.ask([told], [], lambda: None),
    ):
        with pytest.raises(ClusterError, match="closed"):
            call()


def test_more_actors_than_processors_are_refused(ray_session):
    with pytest.raises(ValueError, match="workers must be at most [0-4], .* CPUs .* is 40"):
        runtime.use(ClusterOptions(workers=40))
