"""Tests of `tff_weights.aggregators.weighting_factory`: the factory alone."""

import collections
import dataclasses
import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights import (
    Weighed,
    Weighting,
    WeightingFactory,
    fed_adp_weighting,
    fed_eba_weighting,
    fed_fa_weighting,
    num_examples_weighting,
    q_fair_weighting,
    uniform_weighting,
    wei_avg_weighting,
)

_FLOAT = tff.TensorType(np.float32)
_VECTOR = tff.TensorType(np.float32, [2])


def _report_type(**dtypes):
    return tff.to_type(collections.OrderedDict(dtypes))


def _reports(names, *rows):
    """Clients' reports, the index first where there is one."""
    dtypes = {"client_index": np.int64}
    return [
        collections.OrderedDict((n, dtypes.get(n, np.float32)(x)) for n, x in zip(names, row))
        for row in rows
    ]


def _mine(weigh, **arguments):
    """A weighting of one's own, from `(history, numbers of examples)`."""
    return Weighting(
        "mine",
        ("num_examples",),
        lambda history, reports: weigh(history, reports["num_examples"]),
        **arguments,
    )


def _rounds():
    return collections.OrderedDict(rounds=tf.constant(0))


def _run(process, values, reports, state=None):
    return process.next(process.initialize() if state is None else state, values, reports)


@pytest.fixture(scope="module")
def by_examples():
    """Weighted by the number of examples, which is all that the clients send."""
    return WeightingFactory(num_examples_weighting()).create(_FLOAT, _FLOAT)


def test_mean_by_number_of_examples_by_hand(by_examples):
    """(2 · 1 + 6 · 5) / 8 = 4; the weights (1/4, 3/4) count as 1² / (1/16 + 9/16) = 1.6 clients."""
    output = _run(by_examples, [1.0, 5.0], [2.0, 6.0])
    assert output.result == pytest.approx(4)
    cohort = output.measurements["cohort"]
    np.testing.assert_allclose(cohort["weights"] * 8, cohort["reports"]["num_examples"])
    assert (cohort["num_participants"], cohort["num_left_out"]) == (2, 0)
    assert cohort["effective_participants"] == pytest.approx(1.6)


def test_every_client_finds_its_own_weight():
    """50 clients, each the only one with something in its own entry, in two orders.

    Weighted by their index, the sum's entry i must be i · (i + 1). The weights 0 to 49, whose sum
    is 1225 and whose squares' is 40425, count as 1225² / 40425 clients.
    """
    by_index = Weighting(
        "by_index",
        ("client_index",),
        lambda history, reports: Weighed(tf.cast(reports["client_index"], tf.float32), history),
    )
    process = WeightingFactory(by_index).create(
        tff.TensorType(np.float32, [50]), _report_type(client_index=np.int64)
    )
    for order in (np.arange(50)[::-1], np.random.default_rng(0).permutation(50)):
        values = [(i + 1) * np.eye(50, dtype=np.float32)[i] for i in order]
        output = _run(process, values, _reports(["client_index"], *order[:, np.newaxis]))
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


def test_fields_that_nobody_asked_for_are_not_gathered():
    process = WeightingFactory(num_examples_weighting()).create(
        _FLOAT, _report_type(secret=np.float32, num_examples=np.float32)
    )
    reports = _reports(("secret", "num_examples"), (math.nan, 1), (math.nan, 3))
    output = _run(process, [2.0, 6.0], reports)
    assert output.result == pytest.approx(5)
    assert list(output.measurements["cohort"]["reports"]) == ["num_examples"]


def test_the_updates_norm_is_measured_where_it_is():
    """Losses (1, 4), q = 1, L = 2, updates (1, √3): the weights of q-FedAvg's hand example.

    10²⁵ is a float32 and its square is not: the other client is alone, and with F = 4 and
    ‖Δ‖² = 9 its weight is L F / (L² · 9 + L F) = 8 / (36 + 8).
    """
    names = ("loss_before", "learning_rate")
    process = WeightingFactory(q_fair_weighting(q=1.0)).create(
        _FLOAT, _report_type(loss_before=np.float32, learning_rate=np.float32)
    )
    reports = _reports(names, (1, 0.5), (4, 0.5))
    output = _run(process, [1.0, math.sqrt(3)], reports)
    assert output.result == pytest.approx(2 / 26 + 8 / 26 * math.sqrt(3))
    assert sorted(output.measurements["cohort"]["reports"]["squared_norm"]) == pytest.approx([1, 3])
    output = _run(process, [1e25, 3.0], reports)
    assert output.result == pytest.approx(8 / 44 * 3)
    assert output.measurements["cohort"]["num_left_out"] == 1


def test_an_update_whose_norm_is_not_finite_is_not_in_the_mean_that_others_are_measured_by():
    """Of (1, 0) and (1, 0.1) the mean is (1, 0.05): angles arctan 0.05, and arctan 0.1 less that.

    With the third client in it, the mean's squared norm would overflow.
    """
    process = WeightingFactory(fed_adp_weighting(smoothing="none")).create(_VECTOR, _FLOAT)
    updates = [np.array(update, np.float32) for update in ([1, 0], [1, 0.1], [1e20, 0])]
    cohort = _run(process, updates, [7.0] * 3).measurements["cohort"]
    angle = math.atan(0.05)
    expected = sorted([angle, math.atan(0.1) - angle])
    assert sorted(cohort["reports"]["angle_to_mean"]) == pytest.approx(expected, rel=1e-3)
    assert cohort["num_left_out"] == 1


@pytest.mark.parametrize(
    ("create", "error", "message"),
    [
        (
            lambda: WeightingFactory(uniform_weighting()).create(tff.TensorType(np.int32), _FLOAT),
            TypeError,
            "value_type.*int32",
        ),
        (lambda: WeightingFactory("uniform"), TypeError, "weighting .*Weighting, got 'uniform'"),
        (
            lambda: WeightingFactory(uniform_weighting()).create(
                _FLOAT, _report_type(num_examples=(np.float32, [2]))
            ),
            ValueError,
            "a scalar 'num_examples'",
        ),
        # Clients of TFF's own builders send a number alone: what works there is named.
        *(
            (
                lambda weighting=weighting: WeightingFactory(weighting).create(_FLOAT, _FLOAT),
                ValueError,
                message,
            )
            for weighting, message in (
                (fed_fa_weighting(num_clients=2), "'fed_fa'.*accuracy_after"),
                (fed_adp_weighting(num_clients=2), 'smoothing="none"'),
                (wei_avg_weighting(by="entropy"), 'by="projection"'),
                (q_fair_weighting(), "compose_algorithm"),
                (dataclasses.replace(uniform_weighting(), num_clients=5), "client_index"),
                (dataclasses.replace(uniform_weighting(), mean_weight="loss"), "'loss'"),
                (dataclasses.replace(uniform_weighting(), non_negative=("loss",)), "'loss'"),
                (dataclasses.replace(uniform_weighting(), update_fields=("angle",)), "'angle'"),
            )
        ),
    ],
)
def test_what_does_not_fit_is_refused(create, error, message):
    with pytest.raises(error, match=message):
        create()


@pytest.mark.parametrize(
    "name", ["token", "reason", "kept", "gram_matrix", "squared_norm", "angle_to_mean"]
)
def test_a_field_with_a_name_that_is_taken_is_refused(name):
    """With `reason` below 0 a client without a finite update would take part."""
    weighting = Weighting("mine", (name,), lambda history, reports: Weighed(reports[name], history))
    with pytest.raises(ValueError, match=f"'mine'.* '{name}' is taken"):
        WeightingFactory(weighting).create(_FLOAT, _report_type(**{name: np.float32}))


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda h, n: n, r"Weighed\(weights, history\), got .*Tensor"),
        (lambda h, n: Weighed(n[:, tf.newaxis], h), "one for each participant, got 2 dimensions"),
        (lambda h, n: Weighed([0.5, 0.3, 0.2], h), "weights .*got 3"),
        (lambda h, n: Weighed(tf.ones([1]), h), "weights .*got 1"),
        (lambda h, n: Weighed(tf.cast(n, tf.float64), h), "float32.*float64"),
        # The history is one int32 scalar; another structure, dtype or shape cannot be kept.
        (lambda h, n: Weighed(n, {**h, "more": 1}), "a history"),
        (lambda h, n: Weighed(n, {"rounds": tf.cast(h["rounds"], tf.float32)}), "a history"),
        (lambda h, n: Weighed(n, {"rounds": tf.stack([h["rounds"]] * 2)}), "a history"),
        *((lambda h, n, v=v: Weighed(n, h, (), v), "gives_verdict") for v in (1, tf.constant(1))),
        (lambda h, n: Weighed(n, h, (), 7), "a Verdict, got 7"),
    ],
)
def test_what_a_weighting_may_not_return_is_named(returned, message):
    gives_verdict = message.startswith("a Verdict")
    factory = WeightingFactory(
        _mine(returned, initial_history=_rounds, gives_verdict=gives_verdict)
    )
    with pytest.raises((TypeError, ValueError), match=f"'mine' must return .*{message}"):
        factory.create(_FLOAT, _FLOAT)


def test_another_number_of_weights_than_of_participants_ends_the_round():
    """How many there are is known in the round alone; one weight would be that of all clients."""
    factory = WeightingFactory(_mine(lambda history, n: Weighed(n[:1], history)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="mine.*weights"):
        _run(factory.create(_FLOAT, _FLOAT), [1.0, 2.0, 3.0], [1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("bad", "inner_factory"),
    [
        (math.nan, None),
        (math.inf, tff.aggregators.zeroing_factory(10.0, tff.aggregators.SumFactory())),
    ],
)
def test_weights_that_are_not_finite_change_nothing_and_are_counted(bad, inner_factory):
    """Of three weights the last is bad: no result, the history stays, and one weight is counted.

    A zeroing sum would drop what is not finite, and apply the others' updates as if all was well.
    """

    def weigh(history, n):
        return Weighed(tf.where(n > 2.0, bad, n), {"rounds": history["rounds"] + 1})

    weighting = _mine(weigh, initial_history=_rounds)
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
    """Of eight clients one takes part.

    One has no examples. Two are unknown (indices −1 and 2 of 2), one of them without a finite
    update; two updates and one report are not finite; one reports a negative number.
    """
    names = ("client_index", "num_examples")
    weighting = dataclasses.replace(num_examples_weighting(), num_clients=2)
    process = WeightingFactory(weighting).create(
        _FLOAT, _report_type(client_index=np.int64, num_examples=np.float32)
    )
    values = [5.0, math.nan, 1.0, math.inf, math.nan, 1.0, 1.0, 0.0]
    reports = [(0, 1), (-1, 1), (2, 1), (1, math.nan), (1, -1), (1, math.inf), (1, -1), (1, 0)]
    output = _run(process, values, _reports(names, *reports))
    cohort = output.measurements["cohort"]
    assert dict(cohort["left_out"]) == {
        "unknown_client": 2,
        "no_examples": 1,
        "update_not_finite": 2,
        "report_not_finite": 1,
        "report_negative": 1,
    }
    assert (cohort["num_participants"], cohort["num_left_out"]) == (1, 7)
    assert output.result == 5.0


def test_a_report_that_is_no_float32_is_not_finite():
    """All weightings compute in float32, also where a model of float64 reports 10³⁹."""
    process = WeightingFactory(fed_eba_weighting(loss_at="before")).create(
        tff.TensorType(np.float64), _report_type(loss_before=np.float64)
    )
    reports = [collections.OrderedDict(loss_before=np.float64(loss)) for loss in (1, 1e39)]
    output = _run(process, [3.0, 5.0], reports)
    assert output.result == 3.0
    assert output.measurements["cohort"]["left_out"]["report_not_finite"] == 1


@pytest.mark.parametrize(
    ("value", "weight", "adds_nothing"),
    [([1.0, 1.0], [1.0, 1.0], 0), ([1.0, -1.0], [1.0, 1.0], 1), ([1.0, 1.0], [0.0, 0.0], 1)],
)
def test_a_sum_of_zero_is_said_to_add_nothing(by_examples, value, weight, adds_nothing):
    """As do clients without examples, since nobody is left."""
    assert _run(by_examples, value, weight).measurements["cohort"]["adds_nothing"] == adds_nothing
