"""One client of every cohort has examples that are no good: every algorithm, for 20 rounds."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf

import tff_weights
from leaf_data.models.logistic_regression import logistic_regression
from tff_weights import LocalTraining

_NUM_ROUNDS = 20
_NUM_FEATURES = 5
# Clients 0 and 2 are sound, client 1 is not.
_NUM_CLIENTS = 3
# DRFA is not here, since its process draws who trains; nor are clients that train alone.
_KNOW_CLIENTS = ("scaffold", "fed_fa", "fed_adp", "fed_veca", "afl", "aagg_ff_s", "aagg_ff_d")
_OTHERS = (
    *("fed_avg", "fed_nova", "q_fed_avg", "fed_fa_mo", "fed_cav", "wei_avg", "centralized_sgd"),
    *("term", "fed_eba", "fed_disco", "fed_mgda", "fed_fv", "prop_fair", "power_of_choice"),
)
_SETTINGS = {
    **dict.fromkeys((*_KNOW_CLIENTS, "ditto"), {"num_clients": _NUM_CLIENTS}),
    **dict.fromkeys(_OTHERS, {}),
    "fed_prox": {"proximal_strength": 0.1},
    "fed_cav, audited": {"audit": True},
}
# The others only where the report is written.
_QUICK = ("fed_veca",)


def _sound(client_index: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(client_index)
    x = generator.normal(size=(12 + 7 * client_index, _NUM_FEATURES)).astype(np.float32)
    return x, (x[:, 0] > x[:, 1]).astype(np.int32)


def _filled(value: float, count: int = 12) -> tuple[np.ndarray, np.ndarray]:
    return np.full([count, _NUM_FEATURES], value, np.float32), np.zeros([count], np.int32)


def _one_number(value: float) -> tuple[np.ndarray, np.ndarray]:
    """Sound examples, but for one number."""
    x, y = _sound(1)
    x[-1, 0] = value
    return x, y


# What no update can be computed from, and what some can.
_NOT_FINITE = {
    "no feature is a number": _filled(np.nan),
    "one feature is not a number": _one_number(np.nan),
    "one feature is infinite": _one_number(np.inf),
    "one feature is minus infinite": _one_number(-np.inf),
}
_USELESS = {
    "all features are 1e30": _filled(1e30),
    "one feature is 1e30": _one_number(1e30),
    "one feature is -1e30": _one_number(-1e30),
    "all features are 0": _filled(0.0),
    "all examples are the same": _filled(3.0),
    "one example": _filled(1.0, count=1),
    "no example": _filled(0.0, count=0),
}


def _data(client_index: int, x: np.ndarray, y: np.ndarray):
    examples = tf.data.Dataset.from_tensor_slices(collections.OrderedDict(x=x, y=y))
    return tff_weights.client_data(client_index, examples)


def _train(process, cohort) -> tuple[np.ndarray, list[int], list[int]]:
    """The weights after all rounds; how many took part and were left out, by round."""
    state = process.initialize()
    participants, left_out = [], []
    for _ in range(_NUM_ROUNDS):
        output = process.next(state, cohort)
        state = output.state
        counts = output.metrics["aggregator"]["cohort"]
        participants.append(int(counts["num_participants"]))
        left_out.append(int(counts["num_left_out"]))
    trainable = process.get_model_weights(state).trainable
    return np.concatenate([np.ravel(tensor) for tensor in trainable]), participants, left_out


@pytest.mark.parametrize(
    "algorithm",
    [pytest.param(n, marks=() if n in _QUICK else pytest.mark.reliability) for n in _SETTINGS],
)
def test_the_model_stays_finite_and_all_are_counted(algorithm, ledger, tmp_path):
    """Whoever has no finite update is left out, as if it had not been in the cohort.

    An update that is finite is taken, however large it is: for that there are robust inner sums.
    """
    steps = {"steps": 2} if algorithm == "fed_veca" else {"epochs": 2}
    stores = {"scaffold": {"variates_dir": tmp_path}, "ditto": {"store_dir": tmp_path}}
    process = getattr(tff_weights, f"build_{algorithm.partition(',')[0]}")(
        logistic_regression(num_features=_NUM_FEATURES, num_classes=2, seed=0),
        local_training=LocalTraining(learning_rate=0.1, batch_size=5, shuffle_seed=1, **steps),
        **_SETTINGS[algorithm],
        **stores.get(algorithm, {}),
    )
    sound = [_data(index, *_sound(index)) for index in (0, 2)]
    without, *_ = _train(process, sound)
    assert np.isfinite(without).all()
    for kind, examples in {**_NOT_FINITE, **_USELESS}.items():
        weights, participants, left_out = _train(process, [sound[0], _data(1, *examples), sound[1]])
        faults = [] if np.isfinite(weights).all() else ["the model is not finite"]
        if any(sum(counts) != _NUM_CLIENTS for counts in zip(participants, left_out)):
            faults.append("not all clients are counted")
        if kind in _NOT_FINITE:
            if set(left_out) != {1}:
                faults.append("it is not left out in every round")
            if not np.allclose(weights, without, rtol=1e-5, atol=1e-6):
                faults.append("it changes the model")
        ledger.add(
            *("Poisoned", kind, f"1 of {_NUM_CLIENTS} clients, {_NUM_ROUNDS} rounds"),
            faults=faults,
            rounds_in_which_it_is_left_out=sum(left_out),
        )
