"""Five rounds of every algorithm on TFF end where an independent NumPy simulation ends.

The simulation visits the same examples in the same orders; everything else is restated. A further
algorithm is one function in `reference.algorithms` and one line here.
"""

from __future__ import annotations

import collections
import dataclasses
import functools

import numpy as np
import pytest
import tensorflow_federated as tff
from built import broken_data, built, empty_data, five_rounds, published, weights_of
from reference import algorithms
from reference import weights as reference_weights
from reference.federation import (
    CLIENTS,
    COHORTS,
    LOCAL_TRAINING,
    cohort_data,
    run_rounds,
    simulate_rounds,
)
from reference.problem import client_data, initial_vector
from reference.simulation import Participant

import tff_weights as tw

_COMPILED = dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True)
_IN_STEPS = dataclasses.replace(LOCAL_TRAINING, epochs=None, steps=7, shuffle=False)
_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)
_FRACTIONAL = dataclasses.replace(_PLAIN, epochs=1.3)
_FRESH_BATCHES = dataclasses.replace(_PLAIN, epochs=None, steps=9, fresh_batches=True)
_BY_ENTROPY = {"by": "entropy", "exponent": 2.0, "multiply_by_num_examples": True}
_SERVER = {"server_momentum": 0.5, "server_learning_rate": 0.8}
_ALL = {"num_clients": len(CLIENTS)}


class _Case:
    """An algorithm's builder and restatement, with the arguments of each.

    Arguments that both have are given once.
    """

    def __init__(self, build, algorithm, both=None, *, ours=None, numpy=None, proximal=None):
        self.build, self.ours = build, {**(both or {}), **(ours or {})}
        parameters = {**(both or {}), **(numpy or {})}
        training = self.ours.get("local_training", LOCAL_TRAINING)
        if proximal is not None:  # An argument of the algorithm, not of its local training.
            training = dataclasses.replace(training, proximal_strength=proximal)
            self.ours["proximal_strength"] = proximal
        self.simulate = functools.partial(
            simulate_rounds, functools.partial(algorithm, **parameters), training
        )


_MOMENTUM = {"momentum": 0.5, "learning_rate": 0.8}  # As _SERVER, in NumPy's names.
_FED_FA = {"ours": {**_ALL, **_SERVER}, "numpy": {"alpha": 0.5, **_MOMENTUM}}
_ALGORITHMS = {
    "fed_avg": _Case(tw.build_fed_avg, algorithms.fed_avg),
    "fed_avg uniform": _Case(tw.build_fed_avg, algorithms.fed_avg, {"weighting": "uniform"}),
    "fed_avg in steps": _Case(
        tw.build_fed_avg, algorithms.fed_avg, ours={"local_training": _IN_STEPS}
    ),
    "fed_avg with fresh batches": _Case(
        tw.build_fed_avg, algorithms.fed_avg, ours={"local_training": _FRESH_BATCHES}
    ),
    "fed_prox": _Case(
        tw.build_fed_prox, algorithms.fed_avg, {"weighting": "uniform"}, proximal=0.8
    ),
    "q_fed_avg": _Case(tw.build_q_fed_avg, algorithms.q_fed_avg, numpy={"q": 1.0}),
    "fed_fa": _Case(tw.build_fed_fa, algorithms.fed_fa, **_FED_FA),
    "fed_fa compiled": _Case(
        tw.build_fed_fa,
        algorithms.fed_fa,
        ours={**_FED_FA["ours"], "local_training": _COMPILED},
        numpy=_FED_FA["numpy"],
    ),
    "fed_fa every third round": _Case(
        tw.build_fed_fa,
        algorithms.fed_fa,
        {"alpha": 0.3, "accuracy_at": "before"},
        ours={**_ALL, "beta": 0.7, "momentum_every_rounds": 3, **_SERVER},
        numpy={"every_rounds": 3, **_MOMENTUM},
    ),
    "fed_fa_mo by examples every other round": _Case(
        tw.build_fed_fa_mo,
        algorithms.fed_fa_mo,
        {"weighting": "num_examples"},
        ours={"momentum_every_rounds": 2, **_SERVER},
        numpy={"every_rounds": 2, **_MOMENTUM},
    ),
    "fed_adp": _Case(tw.build_fed_adp, algorithms.fed_adp, ours=_ALL),
    "fed_adp by the round": _Case(
        tw.build_fed_adp, algorithms.fed_adp, {"smoothing": "round", "alpha": 2.0}, ours=_ALL
    ),
    "wei_avg": _Case(tw.build_wei_avg, algorithms.wei_avg, ours={"local_training": _PLAIN}),
    "wei_avg by entropy, proximal": _Case(
        tw.build_wei_avg,
        algorithms.wei_avg,
        _BY_ENTROPY,
        ours={"local_training": _PLAIN},
        proximal=0.8,
    ),
    "fed_cav audited": _Case(tw.build_fed_cav, algorithms.fed_cav, {"audit": True}),
    "fed_cav of sums": _Case(
        tw.build_fed_cav, algorithms.fed_cav, {"loss_reduction": "sum", "clip": "none"}
    ),
    "fed_nova": _Case(tw.build_fed_nova, algorithms.fed_nova, ours={"local_training": _PLAIN}),
    "fed_nova with momentum": _Case(tw.build_fed_nova, algorithms.fed_nova),
    "fed_nova in fractions of epochs": _Case(
        tw.build_fed_nova, algorithms.fed_nova, ours={"local_training": _FRACTIONAL}
    ),
    "term": _Case(tw.build_term, algorithms.term, {"tilt": 2.0}),
    "fed_eba": _Case(tw.build_fed_eba, algorithms.fed_eba, {"temperature": 0.5}),
    "fed_eba by examples, before": _Case(
        tw.build_fed_eba,
        algorithms.fed_eba,
        {"temperature": 2.0, "prior": "num_examples", "loss_at": "before"},
    ),
    "afl": _Case(tw.build_afl, algorithms.afl, {**_ALL, "mixture_rate": 0.1}),
    "aagg_ff_s": _Case(tw.build_aagg_ff_s, algorithms.aagg_ff_s, _ALL),
    "aagg_ff_d": _Case(tw.build_aagg_ff_d, algorithms.aagg_ff_d, _ALL),
    "fed_disco": _Case(tw.build_fed_disco, algorithms.fed_disco, {"discount": 0.5, "offset": 0.1}),
    "fed_disco by distance": _Case(
        tw.build_fed_disco, algorithms.fed_disco, {"discount": 0.6, "offset": 0.2, "metric": "l2"}
    ),
    "fed_mgda": _Case(tw.build_fed_mgda, algorithms.fed_mgda, {"epsilon": 0.1, "step_size": 0.5}),
    "fed_fv": _Case(tw.build_fed_fv, algorithms.fed_fv, {"alpha": 0.3}),
    "prop_fair": _Case(tw.build_prop_fair, algorithms.prop_fair, {"baseline": 2.0, "epsilon": 0.5}),
    "fed_nova proximal": _Case(
        tw.build_fed_nova, algorithms.fed_nova, ours={"local_training": _PLAIN}, proximal=0.8
    ),
}


# The others differ from one of these in their local training or in one argument.
_LONG = ("steps", "fractions of epochs", "fresh batches", "by the round", "before", "by distance")
_MARKED = [
    pytest.param(name, marks=pytest.mark.long if name.endswith(_LONG) else ())
    for name in _ALGORITHMS
]


def _run(name):
    case = _ALGORITHMS[name]
    return five_rounds(case.build, **case.ours)


@pytest.mark.parametrize("name", _MARKED)
def test_five_rounds(name):
    trajectory = _run(name).trajectory
    np.testing.assert_allclose(trajectory, _ALGORITHMS[name].simulate(), atol=1e-4)
    assert np.abs(trajectory[-1] - initial_vector()).max() > 0.1


@pytest.mark.parametrize("name", _MARKED)
def test_each_is_a_process_of_tffs(name):
    """Its state goes in as it came out, and its clients' data are those of `client_data`."""
    process = built(_ALGORITHMS[name].build, **_ALGORITHMS[name].ours)
    assert isinstance(process, tff.learning.templates.LearningProcess)
    signature = process.next.type_signature
    state = process.initialize.type_signature.result
    tff.test.assert_types_identical(signature.parameter[0], state)
    tff.test.assert_types_identical(signature.result.state, state)
    trainable = (tff.TensorType(np.float32, [4, 3]), tff.TensorType(np.float32, [3]))
    tff.test.assert_types_identical(
        state.member.global_model_weights,
        tff.to_type(tff.learning.models.ModelWeights(trainable, ())),
    )
    examples = collections.OrderedDict(
        x=tff.TensorType(np.float32, [None, 4]), y=tff.TensorType(np.int32, [None])
    )
    data = collections.OrderedDict(
        client_index=tff.SequenceType(np.int64), examples=tff.SequenceType(examples)
    )
    tff.test.assert_types_identical(signature.parameter[1], tff.FederatedType(data, tff.CLIENTS))


@pytest.mark.parametrize("name", _MARKED)
def test_every_client_of_the_cohort_is_in_the_metrics(name):
    for cohort, metrics in zip(COHORTS, _run(name).metrics):
        of_cohort = metrics["aggregator"]["cohort"]
        assert sorted(of_cohort["reports"]["client_index"]) == sorted(cohort)
        assert of_cohort["weights"].shape == (len(cohort),)
        assert (of_cohort["num_participants"], of_cohort["num_left_out"]) == (len(cohort), 0)


@pytest.mark.parametrize("name", [case for case in _MARKED if "audited" not in case.values[0]])
def test_a_round_where_nobody_is_left_changes_neither_model_nor_history(name):
    process = built(_ALGORITHMS[name].build, **_ALGORITHMS[name].ours)
    before = _run(name).state
    output = process.next(before, [broken_data(1), broken_data(2)])
    np.testing.assert_array_equal(weights_of(process, output.state), weights_of(process, before))
    np.testing.assert_equal(output.state.aggregator["history"], before.aggregator["history"])
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 2
    assert output.metrics["finalizer"]["update_non_finite"] == 1


def _first_cohort():
    """The participants of the first round, clients 0, 1 and 2."""
    return [Participant(i, CLIENTS[i], 0, LOCAL_TRAINING) for i in COHORTS[0]]


def _weights(metrics):
    """The weights of a round, by client."""
    cohort = metrics["aggregator"]["cohort"]
    return dict(zip(cohort["reports"]["client_index"], cohort["weights"]))


def test_fed_avgs_weights_are_published():
    """Of 7, 40 and 25 examples: 7/72, 40/72 and 25/72, as many as 72² / (49 + 625 + 1600)."""
    metrics = _run("fed_avg").metrics[0]
    assert published(metrics, "num_examples") == {0: 7, 1: 40, 2: 25}
    assert _weights(metrics) == pytest.approx({0: 7 / 72, 1: 40 / 72, 2: 25 / 72})
    effective = metrics["aggregator"]["cohort"]["effective_participants"]
    assert effective == pytest.approx(72**2 / (49 + 625 + 1600))


def test_fed_novas_weights_are_published():
    """Of 7, 40 and 25 examples in batches of ten, twice: 2, 8 and 6 steps."""
    metrics = _run("fed_nova").metrics[0]
    assert published(metrics, "num_steps") == {0: 2, 1: 8, 2: 6}
    expected = reference_weights.fed_nova([7, 40, 25], [2, 8, 6])
    assert _weights(metrics) == pytest.approx(dict(enumerate(expected)))


def test_losses_are_those_of_the_received_model():
    w, cohort = initial_vector(), _first_cohort()
    losses = [client.loss(w) for client in cohort]
    squared_norms = [np.sum((client.train(w).weights - w) ** 2) for client in cohort]
    q_fair = _run("q_fed_avg").metrics[0]
    for field, expected in (
        ("loss_before", losses),
        ("squared_norm", squared_norms),
        ("learning_rate", [0.1] * 3),
    ):
        assert published(q_fair, field) == pytest.approx(dict(enumerate(expected)), rel=1e-4)
    weights = reference_weights.q_fair(losses, squared_norms, q=1.0, learning_rate=0.1)
    assert _weights(q_fair) == pytest.approx(dict(enumerate(weights)), rel=1e-4)
    audited, of_sums = (_run(name).metrics[0] for name in ("fed_cav audited", "fed_cav of sums"))
    assert published(audited, "loss_before") == pytest.approx(dict(enumerate(losses)), rel=1e-5)
    sums = {client.index: client.batch_loss_sum(w) for client in cohort}
    assert published(of_sums, "batch_loss_sum_before") == pytest.approx(sums, rel=1e-5)


def test_entropies_are_published():
    entropies = published(_run("wei_avg by entropy, proximal").metrics[0], "label_entropy")
    expected = {i: reference_weights.entropy(CLIENTS[i].y) for i in COHORTS[0]}
    assert entropies == pytest.approx(expected, rel=1e-5)


def test_angles_are_published():
    """Of round 0's updates to their mean by size, and what has become of them by smoothing."""
    run, w, cohort = _run("fed_adp"), initial_vector(), _first_cohort()
    updates = np.stack([client.train(w).weights - w for client in cohort])
    counts = np.array([client.num_examples for client in cohort])
    mean = counts / counts.sum() @ updates
    expected = {i: reference_weights.angle(mean, update) for i, update in enumerate(updates)}
    assert published(run.metrics[0], "angle_to_mean") == pytest.approx(expected, rel=1e-3)
    of_cohort = run.metrics[0]["aggregator"]["cohort"]
    np.testing.assert_array_equal(
        of_cohort["weighting"]["smoothed_angle"], of_cohort["reports"]["angle_to_mean"]
    )
    history = run.state.aggregator["history"]
    assert history["rounds"] == 5 and np.all(history["smoothed_angle"] > 0)


@pytest.mark.parametrize("name", ["fed_fa", "fed_adp"])
def test_the_server_counts_participations(name):
    counts = np.bincount(np.concatenate(COHORTS), minlength=len(CLIENTS))
    history = _run(name).state.aggregator["history"]
    np.testing.assert_array_equal(history["participations"], counts)


def test_fed_fa_leaves_out_a_client_without_examples_and_one_unknown():
    """The first has no accuracy, the second no place in the history."""
    process = built(tw.build_fed_fa, **_FED_FA["ours"])
    unknown = client_data(len(CLIENTS), CLIENTS[1])
    state = process.initialize()
    output = process.next(state, [empty_data(0), unknown, *cohort_data([2, 3])])
    (expected,), _, _ = run_rounds(process, [[2, 3]])
    np.testing.assert_allclose(weights_of(process, output.state), expected, atol=1e-6)
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 2
    participations = output.state.aggregator["history"]["participations"]
    np.testing.assert_array_equal(participations, [0, 0, 1, 1, 0, 0])


def test_fed_cavs_audit_takes_a_round_where_nobody_is_left_for_a_broken_model():
    """It goes back one round, but no further.

    So it does with weights of 1e38: they are finite, but no client's loss is.
    """
    process = built(tw.build_fed_cav, audit=True)
    initial = process.initialize()
    first = process.next(initial, cohort_data([0, 1])).state
    state = first
    for _ in range(2):
        state = process.next(state, [broken_data(2)]).state
        np.testing.assert_array_equal(weights_of(process, state), weights_of(process, initial))
        np.testing.assert_equal(state.aggregator["history"], first.aggregator["history"])
    huge = tuple(np.full_like(x, 1e38) for x in process.get_model_weights(first).trainable)
    attacked = process.set_model_weights(first, tff.learning.models.ModelWeights(huge, ()))
    output = process.next(attacked, cohort_data([0, 1]))
    cohort = output.metrics["aggregator"]["cohort"]
    assert (cohort["num_participants"], cohort["weighting"]["alarm"]) == (0, 1)
    assert np.abs(weights_of(process, output.state)).max() < 10


def test_five_rounds_of_centralized_sgd():
    """One client that holds everything, here the fifth's examples, is its own mean."""
    cohorts = [[4]] * 5
    process = built(tw.build_centralized_sgd, local_training=_FRESH_BATCHES)
    expected = simulate_rounds(algorithms.fed_avg, _FRESH_BATCHES, cohorts)
    np.testing.assert_allclose(run_rounds(process, cohorts)[0], expected, atol=1e-4)
