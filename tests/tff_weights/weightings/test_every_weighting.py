"""Weightings that look at nothing but a round's reports: by hand, and against NumPy."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

import tff_weights as tw
from tff_weights.weightings.plain import plain_weighting

_BY_SIZE, _HALVES, _THIRDS = [1 / 8, 2 / 8, 5 / 8], [1 / 2] * 2, [1 / 3] * 3
_BY_ENTROPY = {"by": "entropy"}
_DIVERSITIES = {"label_entropy": [1, 2, 5]}


def _adp(angles, counts):
    return {"angle_to_mean": angles, "num_examples": counts}


def _disco(discrepancies):
    return {"label_discrepancy": discrepancies, "num_examples": [10, 10, 20]}


def _gram(updates, **reports):
    return {"gram_matrix": np.array(updates) @ np.transpose(updates), **reports}


def _nova(counts, steps, learning_rate=0.1):
    rates = [learning_rate] * len(counts)
    return {"num_examples": counts, "num_steps": steps, "learning_rate": rates}


def _q_fair(losses, squared_norms, learning_rate=0.1):
    rates = [learning_rate] * len(losses)
    return {"loss_before": losses, "squared_norm": squared_norms, "learning_rate": rates}


def _term(losses, counts):
    return {"loss_before": losses, "num_examples": counts}


# <Δ_1, Δ_2> = −1 and the mean is (0, 1/2).
_CONFLICT = [(1, 0), (-1, 1)]
_RIGHT_ANGLE = _gram([(3, 0), (0, 1)], num_examples=[1, 1])
_TWO = _q_fair([1, 4], [1, 3], 0.5)
_HALF = 1 / math.log(2)  # e^{F / T} is 2^F.
_CAV_SUM = {"loss_reduction": "sum", "clip": "none"}
_PROXIMAL = {"proximal_strength": 1.0}
_BY_HAND = {
    plain_weighting: [
        ({"name": "num_examples"}, {"num_examples": [10, 30, 0]}, [1 / 4, 3 / 4, 0]),
        ({"name": "num_examples"}, {"num_examples": [0, 0]}, _HALVES),
        ({"name": "uniform"}, {"num_examples": [10, 30, 0]}, _THIRDS),
    ],
    tw.fed_adp_weighting: [
        # f(1) = 5 (1 − e^{−1}) = 3.1606028; f(1.2) = 5 (1 − e^{−e^{−1}}) = 1.5389970.
        # The first weighs 1 / (1 + e^{f(1.2) − f(1)}) = 1 / (1 + e^{−1.6216059}).
        ({}, _adp([1, 1.2], [7, 7]), [0.8350165, 0.1649835]),
        # Of 1 and 5 examples 1 and 5 · e^{−1.6216059} = 0.9879057, together 1.9879057.
        ({}, _adp([1, 1.2], [1, 5]), [0.5030420, 0.4969580]),
        # f = 2 (1 − e^{−1}) = 1.2642411 and 2 (1 − e^{−e^{−2}}) = 0.2531540.
        ({"alpha": 2.0}, _adp([1, 2], [3, 3]), [0.7332329, 0.2667671]),
        # Where all angles are alike, the sizes remain.
        *(({}, _adp([angle] * 3, [1, 2, 5]), _BY_SIZE) for angle in (0.0, 1.0, math.pi)),
    ],
    tw.fed_cav_weighting: [
        # The mean is 2, so they are clipped to (0, 1, 2): e^f = (1, 2.7182818, 7.3890561).
        ({}, {"loss_before": [0, 1, 5]}, [0.0900306, 0.2447285, 0.6652410]),
        # e^f = (1, 2.7182818, 148.4131591), their sum 152.1314409.
        (_CAV_SUM, {"batch_loss_sum_before": [0, 1, 5]}, [0.00657326, 0.01786798, 0.9755587]),
        # e^{500} is no float32.
        ({"clip": "none"}, {"loss_before": [100, 300, 500]}, [0, 0, 1]),
        *(
            ({"clip": clip}, {"loss_before": [loss] * 3}, _THIRDS)
            for clip in ("mean", "none")
            for loss in (0.0, 1e30)
        ),
    ],
    # Of 10, 10 and 20 examples; by default the discount is 0.5 and the offset 0.1.
    tw.fed_disco_weighting: [
        # Scores 1/4 − 0.1 + 0.1, 1/4 − 0.5 + 0.1 < 0 and 1/2 − 0.25 + 0.1.
        ({"metric": "l2"}, _disco([0.2, 1.0, 0.5]), [0.25 / 0.6, 0, 0.35 / 0.6]),
        # Divergences of 1/4, 1/2 and 1/4 of the sum: 9/40, 1/10 and 19/40 are left.
        ({}, _disco([1, 2, 1]), [9 / 32, 4 / 32, 19 / 32]),
        # Where no score is positive, as where nobody's labels differ from even ones.
        ({"metric": "l2", "discount": 9.0}, _disco([1, 1, 1]), [1 / 4, 1 / 4, 1 / 2]),
        ({"offset": 0.0}, _disco([0, 0, 0]), [1 / 4, 1 / 4, 1 / 2]),
    ],
    tw.fed_eba_weighting: [
        ({"temperature": _HALF}, {"loss_after": [0, 1, 2]}, [1 / 7, 2 / 7, 4 / 7]),
        (
            {"temperature": _HALF, "prior": "num_examples", "loss_at": "before"},
            _term([0, 1, 2], [4, 2, 1]),
            _THIRDS,
        ),
        # The temperature may be nearly nothing.
        ({"temperature": 1e-6}, {"loss_after": [0, 1, 2]}, [0, 0, 1]),
    ],
    tw.fed_fv_weighting: [
        # g_1 = Δ_1 + Δ_2 / 2 = (1/2, 1/2) and g_2 = Δ_2 + Δ_1 = (0, 1), with the mean (1/4, 3/4),
        # whose length √10 / 4 is stretched to 1/2 by √(2/5).
        (
            {"alpha": 0.0},
            _gram(_CONFLICT, loss_before=[1, 2]),
            [math.sqrt(2 / 5), 0.75 * math.sqrt(2 / 5)],
        ),
        # The client with the larger loss keeps its update: the mean is (∓1/4, 3/4) or (1/2, 1/2).
        (
            {"alpha": 0.5},
            _gram(_CONFLICT, loss_before=[1, 2]),
            [0.5 * math.sqrt(2 / 5), 0.75 * math.sqrt(2 / 5)],
        ),
        (
            {"alpha": 0.5},
            _gram(_CONFLICT, loss_before=[2, 1]),
            [math.sqrt(1 / 2), math.sqrt(1 / 8)],
        ),
        # Without conflict.
        ({"alpha": 0.0}, _gram([(1, 0), (1, 1), (0, 1)], loss_before=[3, 1, 2]), _THIRDS),
        # A step of length zero is one.
        *(({"alpha": 0.0}, _gram([(x, 0), (-x, 0)], loss_before=[1, 2]), [0, 0]) for x in (0, 1)),
    ],
    tw.fed_mgda_weighting: [
        # Of unit vectors at a right angle the mean with equal shares is the shortest.
        ({"epsilon": 1.0}, _RIGHT_ANGLE, [1 / 6, 1 / 2]),
        ({"epsilon": 1.0, "step_size": 4.0}, _RIGHT_ANGLE, [4 / 6, 4 / 2]),
        # Not normalised, 9 λ² + (1 − λ)² is least at 1/10, and 0.4 the least that is allowed.
        ({"epsilon": 1.0, "normalize": False}, _RIGHT_ANGLE, [0.1, 0.9]),
        ({"epsilon": 0.1, "normalize": False}, _RIGHT_ANGLE, [0.4, 0.6]),
        # Without room for more, shares of 1/4 and 3/4, or equal ones, of lengths 3 and 1.
        ({"epsilon": 0.0}, {**_RIGHT_ANGLE, "num_examples": [1, 3]}, [1 / 12, 3 / 4]),
        (
            {"epsilon": 0.0, "prior": "uniform"},
            {**_RIGHT_ANGLE, "num_examples": [1, 3]},
            [1 / 6, 1 / 2],
        ),
        # An update of length zero is the shortest, and has all that is allowed, but no weight.
        ({"epsilon": 0.1}, _gram([(0, 0), (0, 2)], num_examples=[1, 1]), [0, 0.2]),
    ],
    tw.fed_nova_weighting: [
        # τ_eff = 2/4 + 18/4 = 5; the weights are 5 · (1/4) / 2 and 5 · (3/4) / 6.
        ({}, _nova([10, 30], [2, 6]), [0.625, 0.625]),
        # ρ = 1/2: a_1 = (1), a_2 = (1 + 1/2, 1), ‖a‖₁ = (1, 2.5), τ_eff = 1.75.
        # The weights are 1.75 · (1/2) / (1, 2.5).
        ({"momentum": 0.5}, _nova([5, 5], [1, 2]), [0.875, 0.35]),
        # ημ = 1/2: a_1 = (1), a_2 = (1/2, 1), ‖a‖₁ = (1, 1.5), τ_eff = Σ p_i τ_i = 1.5.
        # The weights are 0.75 / (1, 1.5).
        (_PROXIMAL, _nova([5, 5], [1, 2], 0.5), [0.75, 0.5]),
        # A client without steps has no weight: τ_eff is half of the other's ‖a‖₁, or of its τ, and
        # its weight half of that.
        *((solver, _nova([4, 4], [0, 1]), [0, 0.25]) for solver in ({"momentum": 0.5}, _PROXIMAL)),
        ({}, _nova([4, 4], [0, 0]), [0, 0]),
        # At a rate of 0 it is ‖a_i‖₁ = τ_i.
        (_PROXIMAL, _nova([10, 30], [2, 6], 0.0), [0.625, 0.625]),
    ],
    tw.q_fair_weighting: [
        # η = 0.5 is L = 2; ‖w_t − w_i‖² = (1, 3) is ‖Δw_i‖² = 4 · (1, 3); losses (1, 4).
        # h_i = ‖Δw_i‖² + L F_i = (4 + 2, 12 + 8); by default q is 1.
        ({}, _TWO, [2 / 26, 8 / 26]),
        # h_i = 2 F_i ‖Δw_i‖² + L F_i² = (8 + 2, 96 + 32); the weights are L F_i² / 138.
        ({"q": 2.0}, _TWO, [2 / 138, 32 / 138]),
        # For q = 0 all F_i^0 are 1 and h_i = L, however far apart the losses.
        ({"q": 0.0}, _q_fair([0, 3e30], [7, 1]), _HALVES),
        # At a rate of 0 no model moves: F_i / Σ F_j.
        ({}, _q_fair([1, 3], [0, 0], 0.0), [1 / 4, 3 / 4]),
        # One client whose model did not move: L F / L F.
        ({}, _q_fair([3.0], [0.0]), [1.0]),
        # F_i = ε: h_i = 0 + L ε, the weights are L ε / (2 L ε).
        ({}, _q_fair([0, 0], [0, 0]), _HALVES),
        # 1e−10⁵ and 1e9⁵ are no float32, but the weights are L F⁵ / (2 L F⁵).
        *(({"q": 5.0}, _q_fair([loss] * 2, [0, 0]), _HALVES) for loss in (0, 1e9)),
        ({"q": 5.0}, _q_fair([1.0, 1e9], [0, 0]), [0, 1]),
        # With ε = 10⁻¹⁰ the losses 0 and 1 weigh as 10⁻⁵ and 1.
        ({"q": 0.5}, _q_fair([0, 1], [0, 0]), [1e-5 / (1 + 1e-5), 1 / (1 + 1e-5)]),
        *(({"q": 0.5}, _q_fair([0, 1e30], [norm, 1]), [0, 1]) for norm in (0, 1)),
    ],
    tw.term_weighting: [
        # 2^0 · 4, 2^1 · 2 and 2² · 1 are equal.
        ({"tilt": math.log(2)}, _term([0, 1, 2], [4, 2, 1]), _THIRDS),
        # And 1/2 for each unit of loss: 4, 1 and 1/4.
        ({"tilt": -math.log(2)}, _term([0, 1, 2], [4, 2, 1]), [16 / 21, 4 / 21, 1 / 21]),
        # In the limit the largest loss alone, though e^{10⁶} is no float.
        ({"tilt": 1e6}, _term([0, 1, 2], [400, 2, 1]), [0, 0, 1]),
        # Nor is 10³⁹ a float32.
        ({"tilt": 10.0}, _term([1e38, 1, 2e38], [400, 2, 1]), [0, 0, 1]),
        ({"tilt": -10.0}, _term([1e38, 2e38], [1, 400]), [1, 0]),
        # Beside 10⁷ the logarithms of the sizes lose their digits.
        *(({"tilt": t}, _term([1e7] * 3, [1, 2, 5]), _BY_SIZE) for t in (1.0, -1.0, 1e-3)),
    ],
    tw.wei_avg_weighting: [
        # ε = 0.1: z = v − 1 + 0.1 · 4.
        (_BY_ENTROPY, _DIVERSITIES, np.array([0.4, 1.4, 4.4]) / 6.2),
        ({}, {"projection_on_mean": [1, 2, 5]}, np.array([0.4, 1.4, 4.4]) / 6.2),
        # The last digit of ln 10 depends on the order of the labels.
        (_BY_ENTROPY, {"label_entropy": [2.3025851, 2.3025854, 2.3025849]}, _THIRDS),
        # z = v − 1 + 0.1, in the units of v.
        ({"transform": "constant", **_BY_ENTROPY}, _DIVERSITIES, np.array([0.1, 1.1, 4.1]) / 5.3),
    ],
}


@pytest.mark.parametrize(
    ("build", "arguments", "reports", "expected"),
    [(build, *row) for build, rows in _BY_HAND.items() for row in rows],
)
def test_by_hand(build, arguments, reports, expected):
    if build is tw.fed_adp_weighting:
        arguments = {**arguments, "smoothing": "none"}
    found = weights_of(build(**arguments), **reports)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


_CLIENT = {
    "num_examples": st.integers(1, 10**4),
    "num_steps": st.integers(1, 60),
    "squared_norm": st.floats(0, 10, width=32),
    # Whole numbers, so that differences lose nothing and ties are ties.
    "label_entropy": st.integers(-1000, 1000),
}


def _q_fair_in_numpy(reports, q):
    return reference_weights.q_fair(
        reports["loss_before"], reports["squared_norm"], q=q, learning_rate=reports["rate"]
    )


def _nova_in_numpy(reports, **solver):
    counts, steps = reports["num_examples"], reports["num_steps"]
    return reference_weights.fed_nova(counts, steps, learning_rate=reports["rate"], **solver)


def _wei_avg_in_numpy(
    reports, *, by, exponent, shift=0.1, transform="range", multiply_by_num_examples=False
):
    counts = reports["num_examples"] if multiply_by_num_examples else None
    return reference_weights.wei_avg(
        reports["label_entropy"],
        exponent=exponent,
        shift=shift,
        is_constant=transform == "constant",
        counts=counts,
    )


def _in_numpy(restated, *fields):
    return lambda reports, **arguments: restated(*(reports[x] for x in fields), **arguments)


@functools.cache
def _fed_mgda_in_a_graph(epsilon):
    """Outside of a graph its loop takes seconds; the graph is for any number of clients."""
    weighting = tw.fed_mgda_weighting(epsilon=epsilon)
    return dataclasses.replace(weighting, weigh=tf.function(weighting.weigh, reduce_retracing=True))


# The arguments of each, its restatement, and how near both are.
_RESTATED = [
    (
        tw.fed_cav_weighting,
        {"clip": st.sampled_from(["mean", "none"])},
        _in_numpy(reference_weights.fed_cav, "loss_before"),
        {"rtol": 1e-5},
    ),
    (
        tw.fed_eba_weighting,
        {"temperature": st.floats(0.1, 10), "loss_at": st.just("before")},
        lambda reports, temperature, loss_at: reference_weights.fed_eba(
            reports["loss_before"], temperature=temperature
        ),
        {"rtol": 1e-3, "atol": 1e-6},
    ),
    (
        tw.fed_fv_weighting,
        {"alpha": st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])},
        _in_numpy(reference_weights.fed_fv, "updates", "loss_before"),
        {"atol": 2e-4},
    ),
    (
        _fed_mgda_in_a_graph,
        {"epsilon": st.sampled_from([0.0, 0.1, 0.5, 1.0])},
        lambda reports, epsilon: reference_weights.fed_mgda(
            reports["updates"],
            np.array(reports["num_examples"]) / sum(reports["num_examples"]),
            epsilon=epsilon,
        ),
        {"atol": 1e-3},
    ),
    (
        tw.fed_nova_weighting,
        {"momentum": st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.99])},
        _nova_in_numpy,
        {"rtol": 1e-5},
    ),
    (
        tw.fed_nova_weighting,
        {"proximal_strength": st.floats(1e-4, 2)},
        _nova_in_numpy,
        {"rtol": 1e-5},
    ),
    (tw.q_fair_weighting, {"q": st.floats(0, 4)}, _q_fair_in_numpy, {"rtol": 1e-5}),
    (
        tw.term_weighting,
        {"tilt": st.floats(-5, 5)},
        _in_numpy(reference_weights.term, "loss_before", "num_examples"),
        {"rtol": 1e-3, "atol": 1e-6},
    ),
    (
        tw.wei_avg_weighting,
        {
            "by": st.just("entropy"),
            "exponent": st.floats(0, 10),
            "shift": st.floats(0.01, 1),
            "multiply_by_num_examples": st.booleans(),
        },
        _wei_avg_in_numpy,
        {"rtol": 1e-5},
    ),
    (
        tw.wei_avg_weighting,
        {
            "by": st.just("entropy"),
            "exponent": st.sampled_from([0.0, 0.5, 1.0, 3.0]),
            "transform": st.just("constant"),
        },
        _wei_avg_in_numpy,
        {"rtol": 1e-3, "atol": 1e-6},
    ),
]


@pytest.mark.parametrize(("build", "arguments", "restated", "near"), _RESTATED)
@settings(max_examples=50)
@given(data=st.data())
def test_against_numpy(build, arguments, restated, near, data):
    """What weighs by the updates' products gives the same step, not always the same weights."""
    # q-FFL's ε is tried by hand. FedFV takes either of equal losses first; subnormal ones are 0.
    least = 2**-10 if build is tw.q_fair_weighting else 0
    losses = st.floats(least, 20, width=32, allow_subnormal=False)
    client = st.fixed_dictionaries({"loss_before": losses, **_CLIENT})
    unique = (lambda each: each["loss_before"]) if build is tw.fed_fv_weighting else None
    clients = data.draw(st.lists(client, min_size=1, max_size=12, unique_by=unique))
    # FedNova's rate times the proximal strength, at most 2, must be below 1.
    rate = data.draw(st.floats(1e-3, 0.4 if build is tw.fed_nova_weighting else 1))
    drawn, seed = data.draw(st.fixed_dictionaries(arguments)), data.draw(st.integers(0, 2**31))
    reports = {name: [client[name] for client in clients] for name in clients[0]}
    updates = np.random.default_rng(seed).normal(0.1, size=(len(clients), 4))
    expected = restated({**reports, "rate": rate, "updates": updates}, **drawn)
    rates, weighting = [rate] * len(clients), build(**drawn)
    found = weights_of(weighting, **_gram(updates, **reports, learning_rate=rates))
    if build in (tw.fed_fv_weighting, _fed_mgda_in_a_graph):
        found = found @ updates
    np.testing.assert_allclose(found, expected, **near)
