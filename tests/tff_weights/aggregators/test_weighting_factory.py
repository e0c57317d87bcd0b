"""Tests of `tff_weights.aggregators.weighting_factory`: the factory alone and its guards."""

from __future__ import annotations

import collections
import dataclasses
import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import weights as reference_weights

from tff_weights import (
    Weighed,
    Weighting,
    WeightingFactory,
    fed_adp_weighting,
    fed_fa_weighting,
    num_examples_weighting,
    q_fair_weighting,
    uniform_weighting,
    wei_avg_weighting,
)
from tff_weights.cohort.cohort_table import REASONS

_FLOAT = tff.TensorType(np.float32)
_PAIR = tff.to_type(collections.OrderedDict(a=tff.TensorType(np.float32, [2]), b=np.float32))
_FED_FA_REPORT = tff.to_type(
    collections.OrderedDict(client_index=np.int64, accuracy_after=np.float32)
)


def _pair(number):
    """An update whose every entry is a multiple of `number`."""
    return collections.OrderedDict(
        a=np.array([number, -number], np.float32), b=np.float32(2 * number)
    )


def _fed_fa_reports(*reports):
    return [
        collections.OrderedDict(client_index=np.int64(index), accuracy_after=np.float32(accuracy))
        for index, accuracy in reports
    ]


def _run(process, values, reports, state=None):
    return process.next(process.initialize() if state is None else state, values, reports)


@pytest.fixture(scope="module")
def by_examples():
    """Weighted by the number of examples, which is all that the clients send."""
    return WeightingFactory(num_examples_weighting()).create(_FLOAT, _FLOAT)


@pytest.fixture(scope="module")
def fed_fa_of_pairs():
    return WeightingFactory(fed_fa_weighting(num_clients=4)).create(_PAIR, _FED_FA_REPORT)


def test_types(fed_fa_of_pairs):
    state = tff.to_type(
        collections.OrderedDict(
            history=collections.OrderedDict(participations=tff.TensorType(np.int64, [4])),
            mean=(),
            inner=(),
        )
    )
    vector = tff.TensorType(np.float32, [None])
    measurements = tff.to_type(
        collections.OrderedDict(
            cohort=collections.OrderedDict(
                weights=vector,
                reports=collections.OrderedDict(
                    client_index=tff.TensorType(np.int64, [None]), accuracy_after=vector
                ),
                num_participants=np.int32,
                num_left_out=np.int32,
                left_out=collections.OrderedDict((name, np.int32) for name in REASONS),
                weights_not_finite=np.int32,
                effective_participants=np.float32,
                weighting=collections.OrderedDict(),
                adds_nothing=np.int32,
            ),
            inner=(),
        )
    )
    assert fed_fa_of_pairs.is_weighted
    tff.test.assert_types_identical(
        fed_fa_of_pairs.initialize.type_signature,
        tff.FunctionType(None, tff.FederatedType(state, tff.SERVER)),
    )
    tff.test.assert_types_identical(
        fed_fa_of_pairs.next.type_signature,
        tff.FunctionType(
            collections.OrderedDict(
                state=tff.FederatedType(state, tff.SERVER),
                value=tff.FederatedType(_PAIR, tff.CLIENTS),
                weight=tff.FederatedType(_FED_FA_REPORT, tff.CLIENTS),
            ),
            tff.templates.MeasuredProcessOutput(
                state=tff.FederatedType(state, tff.SERVER),
                result=tff.FederatedType(_PAIR, tff.SERVER),
                measurements=tff.FederatedType(measurements, tff.SERVER),
            ),
        ),
    )


def test_it_is_a_weighted_factory():
    assert isinstance(
        WeightingFactory(uniform_weighting()), tff.aggregators.WeightedAggregationFactory
    )


def test_mean_by_number_of_examples_by_hand(by_examples):
    """(2 · 1 + 6 · 5) / 8 = 4; the weights (1/4, 3/4) count as 1² / (1/16 + 9/16) = 1.6 clients."""
    output = _run(by_examples, [1.0, 5.0], [2.0, 6.0])
    assert output.result == pytest.approx(4)
    cohort = output.measurements["cohort"]
    assert sorted(cohort["weights"]) == pytest.approx([0.25, 0.75])
    np.testing.assert_allclose(cohort["weights"] * 8, cohort["reports"]["num_examples"])
    assert cohort["num_participants"] == 2
    assert cohort["num_left_out"] == 0
    assert cohort["effective_participants"] == pytest.approx(1.6)


def test_one_client_has_weight_one(by_examples):
    output = _run(by_examples, [-3.5], [12.0])
    assert output.result == pytest.approx(-3.5)
    assert output.measurements["cohort"]["effective_participants"] == pytest.approx(1)


def test_equal_clients_are_all_counted(by_examples):
    output = _run(by_examples, [3.0] * 5, [2.0] * 5)
    assert output.result == pytest.approx(3)
    np.testing.assert_allclose(output.measurements["cohort"]["weights"], [0.2] * 5, rtol=1e-6)
    assert output.measurements["cohort"]["effective_participants"] == pytest.approx(5)


def test_every_client_finds_its_own_weight():
    """50 clients, each the only one with something in its own entry, in three orders.

    Weighted by their index, the sum's entry i must be i · (i + 1). The weights 0 to 49, whose sum
    is 1225 and whose squares' is 40425, count as 1225² / 40425 clients.
    """
    by_index = Weighting(
        "by_index",
        ("client_index",),
        lambda history, reports: Weighed(tf.cast(reports["client_index"], tf.float32), history),
    )
    process = WeightingFactory(by_index).create(
        tff.TensorType(np.float32, [50]),
        tff.to_type(collections.OrderedDict(client_index=np.int64)),
    )
    for order in (np.arange(50), np.arange(50)[::-1], np.random.default_rng(0).permutation(50)):
        values = [(i + 1) * np.eye(50, dtype=np.float32)[i] for i in order]
        reports = [collections.OrderedDict(client_index=np.int64(i)) for i in order]
        output = _run(process, values, reports)
        np.testing.assert_allclose(output.result, np.arange(50) * np.arange(1, 51), rtol=1e-6)
        cohort = output.measurements["cohort"]
        np.testing.assert_array_equal(cohort["weights"], cohort["reports"]["client_index"])
        assert cohort["effective_participants"] == pytest.approx(1225**2 / 40425)


def test_clients_find_their_weights_in_a_graph_that_was_seeded():
    """A fixed seed must not give all clients the same token."""
    tf.random.set_seed(1)
    process = WeightingFactory(num_examples_weighting()).create(_FLOAT, _FLOAT)
    for _ in range(2):
        assert _run(process, [1.0, 5.0, 9.0], [1.0, 2.0, 5.0]).result == pytest.approx(56 / 8)


def test_twins_with_different_updates(fed_fa_of_pairs):
    """One client twice in a cohort: each of its updates has half of what the two weigh together."""
    output = _run(fed_fa_of_pairs, [_pair(1), _pair(3)], _fed_fa_reports((2, 0.5), (2, 0.5)))
    np.testing.assert_allclose(output.result["a"], [2, -2], rtol=1e-6)
    np.testing.assert_array_equal(output.state["history"]["participations"], [0, 0, 2, 0])


def test_history_goes_from_round_to_round(fed_fa_of_pairs):
    """Participations grow, and the next round's weights are those of the larger counts."""
    state = None
    counts = np.zeros(4, int)
    for cohort in ([0, 1], [1, 3], [3, 1, 0]):
        accuracies = 0.2 + 0.1 * np.arange(len(cohort))
        output = _run(
            fed_fa_of_pairs,
            [_pair(10.0**i) for i in range(len(cohort))],
            _fed_fa_reports(*zip(cohort, accuracies)),
            state,
        )
        counts[cohort] += 1
        np.testing.assert_array_equal(output.state["history"]["participations"], counts)
        weights = reference_weights.fed_fa(accuracies, counts[cohort], alpha=0.5, beta=0.5)
        expected = weights @ 10.0 ** np.arange(len(cohort))
        np.testing.assert_allclose(output.result["a"], [expected, -expected], rtol=1e-5)
        np.testing.assert_allclose(output.result["b"], 2 * expected, rtol=1e-5)
        assert output.measurements["cohort"]["weights"].sum() == pytest.approx(1, rel=1e-5)
        state = output.state


def test_reports_and_weights_are_in_one_order(fed_fa_of_pairs):
    output = _run(
        fed_fa_of_pairs,
        [_pair(i) for i in range(3)],
        _fed_fa_reports((3, 0.9), (0, 0.1), (1, 0.5)),
    )
    cohort = output.measurements["cohort"]
    accuracies = dict(zip(cohort["reports"]["client_index"], cohort["reports"]["accuracy_after"]))
    assert accuracies == pytest.approx({3: 0.9, 0: 0.1, 1: 0.5})
    np.testing.assert_allclose(
        cohort["weights"],
        reference_weights.fed_fa(
            cohort["reports"]["accuracy_after"], [1, 1, 1], alpha=0.5, beta=0.5
        ),
        rtol=1e-5,
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_update_that_is_not_finite_is_left_out(by_examples, bad):
    """(1 · 1 + 3 · 2) / 4: the client with five examples is as if it had not been there."""
    output = _run(by_examples, [1.0, bad, 2.0], [1.0, 5.0, 3.0])
    assert output.result == pytest.approx(7 / 4)
    cohort = output.measurements["cohort"]
    assert cohort["num_left_out"] == 1
    assert cohort["num_participants"] == 2
    assert sorted(cohort["reports"]["num_examples"]) == [1, 3]
    assert sorted(cohort["weights"]) == pytest.approx([1 / 4, 3 / 4])


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_report_that_is_not_finite_is_left_out(by_examples, bad):
    output = _run(by_examples, [1.0, 9.0, 2.0], [1.0, bad, 3.0])
    assert output.result == pytest.approx(7 / 4)
    assert output.measurements["cohort"]["num_left_out"] == 1


def test_one_entry_that_is_not_finite_leaves_out_the_whole_update(fed_fa_of_pairs):
    broken = _pair(100.0)
    broken["a"][1] = math.nan
    output = _run(fed_fa_of_pairs, [broken, _pair(3.0)], _fed_fa_reports((0, 0.5), (1, 0.5)))
    np.testing.assert_allclose(output.result["a"], [3, -3])
    np.testing.assert_allclose(output.result["b"], 6)


@pytest.mark.parametrize("index", [-1, 4, 2**40, -(2**63)])
def test_an_index_that_the_history_does_not_know_is_left_out(fed_fa_of_pairs, index):
    output = _run(
        fed_fa_of_pairs, [_pair(7.0), _pair(3.0)], _fed_fa_reports((index, 0.5), (1, 0.5))
    )
    np.testing.assert_allclose(output.result["a"], [3, -3])
    np.testing.assert_array_equal(output.state["history"]["participations"], [0, 1, 0, 0])
    assert output.measurements["cohort"]["num_left_out"] == 1
    np.testing.assert_array_equal(output.measurements["cohort"]["reports"]["client_index"], [1])


def test_who_is_left_out_keeps_its_history(fed_fa_of_pairs):
    first = _run(fed_fa_of_pairs, [_pair(1.0), _pair(2.0)], _fed_fa_reports((0, 0.5), (1, 0.5)))
    second = _run(
        fed_fa_of_pairs,
        [_pair(math.nan), _pair(2.0), _pair(3.0)],
        _fed_fa_reports((0, 0.5), (1, math.nan), (2, 0.5)),
        first.state,
    )
    np.testing.assert_array_equal(second.state["history"]["participations"], [1, 1, 1, 0])
    np.testing.assert_allclose(second.result["a"], [3, -3])
    assert second.measurements["cohort"]["num_left_out"] == 2


def test_if_all_are_left_out_the_result_is_no_number_and_history_stays(fed_fa_of_pairs):
    first = _run(fed_fa_of_pairs, [_pair(1.0)], _fed_fa_reports((2, 0.5)))
    second = _run(
        fed_fa_of_pairs,
        [_pair(math.inf), _pair(1.0), _pair(1.0)],
        _fed_fa_reports((0, 0.5), (1, math.nan), (9, 0.5)),
        first.state,
    )
    assert np.all(np.isnan(second.result["a"]))
    assert np.isnan(second.result["b"])
    np.testing.assert_array_equal(second.state["history"]["participations"], [0, 0, 1, 0])
    cohort = second.measurements["cohort"]
    assert cohort["num_left_out"] == 3
    assert cohort["num_participants"] == 0
    assert cohort["effective_participants"] == 0
    assert cohort["weights"].shape == (0,)


def test_fields_that_nobody_asked_for_are_not_gathered():
    process = WeightingFactory(num_examples_weighting()).create(
        _FLOAT, tff.to_type(collections.OrderedDict(secret=np.float32, num_examples=np.float32))
    )
    reports = [
        collections.OrderedDict(secret=np.float32(math.nan), num_examples=np.float32(n))
        for n in (1, 3)
    ]
    output = _run(process, [2.0, 6.0], reports)
    assert output.result == pytest.approx(5)
    assert list(output.measurements["cohort"]["reports"]) == ["num_examples"]


def test_the_updates_norm_is_measured_where_it_is():
    """Losses (1, 4), q = 1, L = 2, updates (1, √3): the weights of q-FedAvg's hand example."""
    process = WeightingFactory(q_fair_weighting(q=1.0)).create(
        _FLOAT,
        tff.to_type(collections.OrderedDict(loss_before=np.float32, learning_rate=np.float32)),
    )
    reports = [
        collections.OrderedDict(loss_before=np.float32(loss), learning_rate=np.float32(0.5))
        for loss in (1, 4)
    ]
    output = _run(process, [1.0, math.sqrt(3)], reports)
    assert output.result == pytest.approx(2 / 26 + 8 / 26 * math.sqrt(3))
    cohort = output.measurements["cohort"]
    assert sorted(cohort["reports"]["squared_norm"]) == pytest.approx([1, 3])


def test_an_update_whose_norm_is_not_finite_is_left_out():
    """10²⁵ is a float32 and its square is not: q-FedAvg goes on with the other client alone.

    With q = 1, L = 1, F = 2 and ‖Δ‖² = 9 its weight is 2 / (9 + 2).
    """
    process = WeightingFactory(q_fair_weighting(q=1.0)).create(
        _FLOAT,
        tff.to_type(collections.OrderedDict(loss_before=np.float32, learning_rate=np.float32)),
    )
    reports = [collections.OrderedDict(loss_before=np.float32(2), learning_rate=np.float32(1))] * 2
    output = _run(process, [1e25, 3.0], reports)
    assert output.result == pytest.approx(6 / 11)
    assert output.measurements["cohort"]["num_left_out"] == 1


def test_an_update_whose_norm_is_not_finite_is_not_in_the_mean_that_others_are_measured_by():
    """Of (1, 0) and (1, 0.1) the mean is (1, 0.05): angles arctan 0.05, and arctan 0.1 less that.

    Where the third client were in it, the mean would point away from both, or nowhere.
    """
    process = WeightingFactory(fed_adp_weighting(smoothing="none")).create(
        tff.TensorType(np.float32, [2]),
        tff.to_type(collections.OrderedDict(num_examples=np.float32)),
    )
    updates = [np.array(update, np.float32) for update in ([1, 0], [1, 0.1], [1e20, 0])]
    reports = [collections.OrderedDict(num_examples=np.float32(7))] * 3
    cohort = _run(process, updates, reports).measurements["cohort"]
    angle = math.atan(0.05)
    expected = sorted([angle, math.atan(0.1) - angle])
    assert sorted(cohort["reports"]["angle_to_mean"]) == pytest.approx(expected, rel=1e-3)
    assert cohort["num_left_out"] == 1


def test_the_clients_are_asked_once():
    """What is scaled and what was measured must be one and the same draw of a random update."""
    weighting = Weighting(
        "one",
        ("num_examples",),
        lambda history, reports: Weighed(tf.ones_like(reports["num_examples"]), history),
        update_fields=("squared_norm",),
    )
    factory = WeightingFactory(weighting)
    process = factory.create(_FLOAT, _FLOAT)

    @tff.tensorflow.computation(np.float32)
    def draw(report):
        return tf.random.uniform([], 1.0, 2.0) * report

    @tff.federated_computation(
        process.initialize.type_signature.result, tff.FederatedType(np.float32, tff.CLIENTS)
    )
    def next_round(state, reports):
        return process.next(state, tff.federated_map(draw, reports), reports)

    output = next_round(process.initialize(), [1.0])
    assert output.result**2 == pytest.approx(
        output.measurements["cohort"]["reports"]["squared_norm"][0], rel=1e-6
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_updates_keep_their_precision(dtype):
    process = WeightingFactory(uniform_weighting()).create(tff.TensorType(dtype), _FLOAT)
    result = _run(process, [dtype(1), dtype(2)], [1.0, 1.0]).result
    assert result.dtype == dtype
    assert result == pytest.approx(1.5)


def test_measurements_of_the_weighting_are_published():
    def weigh(history, reports):
        counted = {"rounds": history["rounds"] + 1}
        return Weighed(
            reports["num_examples"],
            collections.OrderedDict(counted),
            collections.OrderedDict(total=tf.reduce_sum(reports["num_examples"])),
        )

    weighting = Weighting(
        "sum",
        ("num_examples",),
        weigh,
        initial_history=lambda: collections.OrderedDict(rounds=tf.constant(0)),
    )
    process = WeightingFactory(weighting).create(_FLOAT, _FLOAT)
    output = _run(process, [1.0, 2.0], [3.0, 4.0])
    assert output.result == pytest.approx(11)
    assert output.measurements["cohort"]["weighting"] == {"total": 7.0}
    assert output.state["history"] == {"rounds": 1}


def test_bad_inner_factory_is_refused():
    with pytest.raises(TypeError, match="inner_factory.*MeanFactory"):
        WeightingFactory(uniform_weighting(), tff.aggregators.MeanFactory())


def test_integer_updates_are_refused():
    with pytest.raises(TypeError, match="value_type.*int32"):
        WeightingFactory(uniform_weighting()).create(tff.TensorType(np.int32), _FLOAT)


@pytest.mark.parametrize(
    "weight_type",
    [_FLOAT, tff.to_type(collections.OrderedDict(client_index=np.int64, n=np.float32))],
)
def test_missing_report_fields_are_named(weight_type):
    with pytest.raises(ValueError, match="'fed_fa'.*accuracy_after"):
        WeightingFactory(fed_fa_weighting(num_clients=2)).create(_FLOAT, weight_type)


@pytest.mark.parametrize(
    ("weighting", "instead"),
    [
        (fed_adp_weighting(num_clients=2), 'smoothing="none"'),
        (fed_adp_weighting(num_clients=2, smoothing="round"), 'smoothing="none"'),
        (wei_avg_weighting(by="entropy"), 'by="projection"'),
        (q_fair_weighting(), "compose_algorithm"),
    ],
)
def test_what_drops_into_a_builder_of_tff_is_named(weighting, instead):
    """Clients of TFF's own builders send a number alone."""
    with pytest.raises(ValueError, match=instead):
        WeightingFactory(weighting).create(_FLOAT, _FLOAT)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda n: n, r"weighting 'mine' must return Weighed\(weights, history\), got .*Tensor"),
        (lambda n: Weighed(tf.reduce_sum(n), ()), r"'mine' must return weights of the shape \[n\]"),
        (lambda n: Weighed(n[:, tf.newaxis], ()), "one for each participant, got 2 dimensions"),
        (lambda n: Weighed(tf.constant([0.5, 0.5]), ()), "'mine' must return weights .*got 2"),
        (lambda n: Weighed([0.5, 0.3, 0.2], ()), "'mine' must return weights .*got 3"),
        (lambda n: Weighed(tf.ones([1]), ()), "'mine' must return weights .*got 1"),
        (lambda n: Weighed(tf.cast(n, tf.float64), ()), "'mine' must return float32.*float64"),
        (lambda n: Weighed(tf.cast(n, tf.int32), ()), "'mine' must return float32.*int32"),
        (lambda n: Weighed(tf.cast(n, tf.complex64), ()), "'mine' must return float32.*complex64"),
        (lambda n: Weighed(n, {"rounds": 1}), "'mine' must return a history"),
    ],
)
def test_what_a_weighting_may_not_return_is_named(returned, message):
    weighting = Weighting(
        "mine", ("num_examples",), lambda history, reports: returned(reports["num_examples"])
    )
    with pytest.raises((TypeError, ValueError), match=message):
        WeightingFactory(weighting).create(_FLOAT, _FLOAT)


@pytest.mark.parametrize(
    "later",
    [
        lambda rounds: {"rounds": rounds, "more": rounds},
        lambda rounds: {"rounds": tf.cast(rounds, tf.float32)},
        lambda rounds: {"rounds": tf.stack([rounds, rounds])},
    ],
)
def test_a_history_that_changes_its_type_is_named(later):
    """The history is one int32 scalar; another structure, dtype or shape cannot be kept."""
    weighting = Weighting(
        "mine",
        ("num_examples",),
        lambda history, reports: Weighed(reports["num_examples"], later(history["rounds"])),
        initial_history=lambda: {"rounds": tf.constant(0)},
    )
    with pytest.raises((TypeError, ValueError), match="'mine' must return a history"):
        WeightingFactory(weighting).create(_FLOAT, _FLOAT)


@pytest.mark.parametrize(
    "shorten", [lambda n: n[:-1], lambda n: n[:1], lambda n: tf.concat([n, n], 0)]
)
def test_another_number_of_weights_than_of_participants_ends_the_round(shorten):
    """How many there are is known in the round alone; one weight would be that of all clients."""
    weighting = Weighting(
        "mine",
        ("num_examples",),
        lambda history, reports: Weighed(shorten(reports["num_examples"]), history),
    )
    process = WeightingFactory(weighting).create(_FLOAT, _FLOAT)
    with pytest.raises(tf.errors.InvalidArgumentError, match="mine.*weights"):
        _run(process, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "inner_factory", [None, tff.aggregators.zeroing_factory(10.0, tff.aggregators.SumFactory())]
)
def test_weights_that_are_not_finite_change_nothing_and_are_counted(bad, inner_factory):
    """Of three weights the last is bad: no result, the history stays, and one weight is counted.

    A zeroing sum would drop what is not finite, and apply the others' updates as if all was well.
    """

    def weigh(history, reports):
        n = reports["num_examples"]
        return Weighed(tf.where(n > 2.0, bad, n), {"rounds": history["rounds"] + 1})

    weighting = Weighting(
        "mine",
        ("num_examples",),
        weigh,
        initial_history=lambda: collections.OrderedDict(rounds=tf.constant(0)),
    )
    process = WeightingFactory(weighting, inner_factory).create(_FLOAT, _FLOAT)
    output = _run(process, [1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    cohort = output.measurements["cohort"]
    assert math.isnan(output.result) and output.state["history"] == {"rounds": 0}
    assert (cohort["weights_not_finite"], cohort["num_left_out"]) == (1, 0)
    assert cohort["adds_nothing"] == 1
    well = process.next(output.state, [1.0, 1.0], [1.0, 2.0])
    assert well.result == pytest.approx(3.0) and well.state["history"] == {"rounds": 1}
    assert (well.measurements["cohort"]["adds_nothing"]) == 0


def test_why_clients_are_left_out_is_counted():
    """Of seven clients one takes part.

    Two are unknown (indices −1 and 2 of 2), of which one has no finite update either; two updates
    and one report are not finite; one reports a negative number.
    """
    weighting = dataclasses.replace(num_examples_weighting(), num_clients=2)
    weight_type = tff.to_type(
        collections.OrderedDict(client_index=np.int64, num_examples=np.float32)
    )
    process = WeightingFactory(weighting).create(_FLOAT, weight_type)
    values = [5.0, math.nan, 1.0, math.inf, math.nan, 1.0, 1.0]
    reports = [(0, 1.0), (-1, 1.0), (2, 1.0), (1, math.nan), (1, -1.0), (1, math.inf), (1, -1.0)]
    output = _run(
        process,
        values,
        [
            collections.OrderedDict(client_index=index, num_examples=number)
            for index, number in reports
        ],
    )
    cohort = output.measurements["cohort"]
    assert dict(cohort["left_out"]) == {
        "unknown_client": 2,
        "update_not_finite": 2,
        "report_not_finite": 1,
        "report_negative": 1,
    }
    assert (cohort["num_participants"], cohort["num_left_out"]) == (1, 6)
    assert output.result == 5.0


@pytest.mark.parametrize(
    ("value", "weight", "adds_nothing"),
    [([0.0, 0.0], [1.0, 1.0], 1), ([1.0, 1.0], [0.0, 0.0], 0), ([1.0, -1.0], [1.0, 1.0], 1)],
)
def test_a_sum_of_zero_is_said_to_add_nothing(by_examples, value, weight, adds_nothing):
    """Weights of 0 are equal shares; updates that cancel each other out add nothing either."""
    output = _run(by_examples, value, weight)
    assert output.measurements["cohort"]["adds_nothing"] == adds_nothing
