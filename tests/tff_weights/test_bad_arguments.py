"""Every number that the library takes, given what it must not be: one clear error, at once.

An argument that is added without a check is found by the last test.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.problem import functional_model

import tff_weights
from tff_weights import LocalTraining

_WEIGHTS_TYPE = tff.to_type(
    tff.learning.models.ModelWeights((tff.TensorType(np.float32, [2]),), ())
)
_SGD = LocalTraining(learning_rate=0.1, batch_size=10, epochs=1)
_STEPS = LocalTraining(learning_rate=0.1, batch_size=10, steps=2)
_NOT_NUMBERS = (math.nan, math.inf, -math.inf, "1", None, [1], True, 10**400, -1)
_NOT_WHOLE = (*_NOT_NUMBERS, 0.5, 2.0)


def _with_model(build, local_training=_SGD, **arguments):
    return lambda **given: build(
        functional_model(), local_training=local_training, **{**arguments, **given}
    )


# From an argument's owner to what must not be given for which argument.
_NUMBERS = {
    "LocalTraining": (
        lambda **given: LocalTraining(
            **{"learning_rate": 0.1, "batch_size": 1, "epochs": 1, **given}
        ),
        {
            "learning_rate": (*_NOT_NUMBERS, 0),
            "batch_size": (*_NOT_WHOLE, 0, 2**31),
            "epochs": (*(x for x in _NOT_NUMBERS if x is not None), 0, 1e300),
            "momentum": (*_NOT_NUMBERS, 1, 1.5),
            "proximal_strength": _NOT_NUMBERS,
            "learning_rate_decay": (*_NOT_NUMBERS, 0, 1.01),
            "shuffle_seed": (*_NOT_WHOLE, 2**31),
        },
    ),
    "LocalTraining of steps": (
        lambda **given: LocalTraining(**{"learning_rate": 0.1, "batch_size": 1, **given}),
        {"steps": (*(x for x in _NOT_WHOLE if x is not None), 2**31)},
    ),
    "fed_fa_weighting": (
        lambda **given: tff_weights.fed_fa_weighting(**{"num_clients": 3, **given}),
        {
            "num_clients": (*_NOT_WHOLE, 0),
            "alpha": (*_NOT_NUMBERS, 1.1, 0.6),
            "beta": (*_NOT_NUMBERS, 1.1, 0.6),
            "epsilon": (*_NOT_NUMBERS, 0, 1),
        },
    ),
    "fed_adp_weighting": (
        lambda **given: tff_weights.fed_adp_weighting(**{"num_clients": 3, **given}),
        {"num_clients": (*_NOT_WHOLE, 0), "alpha": (*_NOT_NUMBERS, 0)},
    ),
    "wei_avg_weighting": (
        tff_weights.wei_avg_weighting,
        {"exponent": _NOT_NUMBERS, "shift": (*_NOT_NUMBERS, 0)},
    ),
    "q_fair_weighting": (
        tff_weights.q_fair_weighting,
        {"q": _NOT_NUMBERS, "epsilon": (*_NOT_NUMBERS, 0)},
    ),
    "fed_nova_weighting": (
        tff_weights.fed_nova_weighting,
        {"momentum": (*_NOT_NUMBERS, 1), "proximal_strength": _NOT_NUMBERS},
    ),
    "apply_update": (
        lambda **given: tff_weights.apply_update(_WEIGHTS_TYPE, **given),
        {"learning_rate": (*_NOT_NUMBERS, 0)},
    ),
    "build_server_momentum_finalizer": (
        lambda **given: tff_weights.build_server_momentum_finalizer(
            _WEIGHTS_TYPE, **{"momentum": 0.5, **given}
        ),
        {
            "momentum": (*_NOT_NUMBERS, 1),
            "learning_rate": (*_NOT_NUMBERS, 0),
            "every_rounds": (*_NOT_WHOLE, 0),
        },
    ),
    "build_fed_prox": (
        _with_model(tff_weights.build_fed_prox),
        {"proximal_strength": _NOT_NUMBERS},
    ),
    "build_q_fed_avg": (_with_model(tff_weights.build_q_fed_avg), {"q": _NOT_NUMBERS}),
    "build_fed_veca": (
        _with_model(tff_weights.build_fed_veca, _STEPS, num_clients=3),
        {
            "num_clients": (*_NOT_WHOLE, 0),
            "alpha": (*_NOT_NUMBERS, 1),
            "most_steps": (*_NOT_WHOLE, 1),
        },
    ),
    "build_scaffold": (
        _with_model(tff_weights.build_scaffold, num_clients=3, variates_dir="nowhere"),
        {"num_clients": (*_NOT_WHOLE, 0)},
    ),
    "build_trained_alone": (
        _with_model(tff_weights.build_trained_alone, num_clients=3, variates_dir="nowhere"),
        {"num_clients": (*_NOT_WHOLE, 0)},
    ),
    "TrimmedSumFactory": (tff_weights.TrimmedSumFactory, {"fraction": (*_NOT_NUMBERS, 0.5)}),
}
_CASES = [
    pytest.param(build, name, value, id=f"{owner}, {name}={str(value)[:12]}")
    for owner, (build, numbers) in _NUMBERS.items()
    for name, values in numbers.items()
    for value in values
]


@pytest.mark.parametrize(("build", "name", "value"), _CASES)
def test_what_is_no_number_or_out_of_range_is_refused_by_name(build, name, value):
    with pytest.raises(ValueError, match=name) as error:
        build(**{name: value})
    assert "got" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


# The ends of the ranges that belong to them, or lie beside those that do not.
_JUST_ALLOWED = {
    "LocalTraining": {
        "learning_rate": (1e-30,),
        "batch_size": (1, 2**30 - 1, np.int64(3)),
        "epochs": (1e-9,),
        "momentum": (0, 0.999),
        "proximal_strength": (0,),
        "learning_rate_decay": (1e-9, 1),
        "shuffle_seed": (0, 2**31 - 1),
    },
    "LocalTraining of steps": {"steps": (1, 2**31 - 1)},
    "fed_fa_weighting": {"num_clients": (1,), "epsilon": (1e-30, 0.999)},
    "fed_adp_weighting": {"num_clients": (1,), "alpha": (1e-30,)},
    "wei_avg_weighting": {"exponent": (0,), "shift": (1e-30,)},
    "q_fair_weighting": {"q": (0,), "epsilon": (1e-30,)},
    "fed_nova_weighting": {"momentum": (0, 0.999), "proximal_strength": (0,)},
    "apply_update": {"learning_rate": (1e-30,)},
    "build_server_momentum_finalizer": {
        "momentum": (0, 0.999),
        "learning_rate": (1e-30,),
        "every_rounds": (1,),
    },
    "TrimmedSumFactory": {"fraction": (0, 0.499)},
}


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (owner, name, value)
        for owner, numbers in _JUST_ALLOWED.items()
        for name, values in numbers.items()
        for value in values
    ],
)
def test_the_ends_of_the_ranges_are_taken(owner, name, value):
    build, _ = _NUMBERS[owner]
    build(**{name: value})


_ANYTHING = st.one_of(
    st.floats(), st.integers(), st.text(), st.none(), st.booleans(), st.lists(st.integers())
)


@settings(deadline=None, max_examples=200)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: _ANYTHING
            for name in inspect.signature(LocalTraining).parameters
            if name not in ("shuffle", "fresh_batches", "compile_with_xla")
        },
    )
)
def test_whatever_is_given_local_training_is_whole_or_refused(given):
    try:
        training = LocalTraining(
            **{"learning_rate": 0.1, "batch_size": 1, "epochs": None, "steps": 1, **given}
        )
    except ValueError as error:
        assert any(name in str(error) for name in inspect.signature(LocalTraining).parameters)
    else:
        assert 0 < training.learning_rate < math.inf and training.batch_size >= 1


# Not numbers, or checked by whoever is given them.
_NOT_LISTED = {
    *("model", "local_training", "inner_factory", "correct_fn", "wrap_client_work", "variates_dir"),
    *("weighting", "accuracy_at", "smoothing", "measured", "by", "multiply_by_num_examples"),
    *("loss_reduction", "clip", "audit", "reject_worse", "shuffle", "fresh_batches"),
    *("compile_with_xla", "model_weights_type", "name", "server_update", "distribute"),
}


def test_no_number_is_forgotten():
    listed = {name for _, numbers in _NUMBERS.values() for name in numbers}
    passed_on = {"server_momentum", "server_learning_rate", "momentum_every_rounds", "q"}
    public = [
        getattr(tff_weights, name)
        for name in tff_weights.__all__
        if name.startswith("build_fed") or name.endswith("_weighting") or name == "LocalTraining"
    ]
    taken = {name for one in public for name in inspect.signature(one).parameters}
    assert taken - listed - passed_on - _NOT_LISTED == set()
