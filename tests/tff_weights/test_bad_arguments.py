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
from refused_values import but_none, not_counts, not_integers, not_numbers

import tff_weights
from tff_weights import LocalTraining

_WEIGHTS_TYPE = tff.to_type(
    tff.learning.models.ModelWeights((tff.TensorType(np.float32, [2]),), ())
)
_SGD = LocalTraining(learning_rate=0.1, batch_size=10, epochs=1)
_STEPS = LocalTraining(learning_rate=0.1, batch_size=10, steps=2)
_SHARES = not_numbers(least=0, most=1) | st.just(0.6)  # alpha + beta must be 1.


def _with(build, *arguments, **settings):
    return lambda **given: build(*arguments, **{**settings, **given})


def _with_model(build, local_training=_SGD, **settings):
    return _with(build, functional_model(), local_training=local_training, **settings)


# From an argument's owner to what must not be given for which argument.
_NUMBERS = {
    "LocalTraining": (
        _with(LocalTraining, learning_rate=0.1, batch_size=1, epochs=1),
        {
            "learning_rate": not_numbers(0),
            "batch_size": not_counts(),
            "epochs": but_none(not_numbers(0)) | st.just(1e300),
            "momentum": not_numbers(least=0, below=1),
            "proximal_strength": not_numbers(least=0),
            "learning_rate_decay": not_numbers(0, most=1),
            "shuffle_seed": not_integers(0),
        },
    ),
    "LocalTraining of steps": (
        _with(LocalTraining, learning_rate=0.1, batch_size=1),
        {"steps": but_none(not_integers(0))},
    ),
    "UniformEpochs": (
        _with(tff_weights.UniformEpochs, least=1, most=5),
        {"least": not_counts(), "most": not_counts(), "share": not_numbers(least=0, most=1)},
    ),
    "StepDecay": (
        _with(tff_weights.StepDecay, factor=0.5, every=2),
        {"factor": not_numbers(0, most=1), "every": not_counts()},
    ),
    "ExponentialDecay": (
        _with(tff_weights.ExponentialDecay, factor=0.5),
        {"factor": not_numbers(0, most=1)},
    ),
    "CosineDecay": (
        _with(tff_weights.CosineDecay, over=2),
        {"over": not_counts(), "least": not_numbers(least=0, most=1)},
    ),
    "fed_fa_weighting": (
        _with(tff_weights.fed_fa_weighting, num_clients=3),
        {
            "num_clients": not_counts(),
            "alpha": _SHARES,
            "beta": _SHARES,
            "epsilon": not_numbers(0, 1),
        },
    ),
    "fed_adp_weighting": (
        _with(tff_weights.fed_adp_weighting, num_clients=3),
        {"num_clients": not_counts(), "alpha": not_numbers(0)},
    ),
    "wei_avg_weighting": (
        tff_weights.wei_avg_weighting,
        {"exponent": not_numbers(least=0), "shift": not_numbers(0)},
    ),
    "q_fair_weighting": (
        tff_weights.q_fair_weighting,
        {"q": not_numbers(least=0), "epsilon": not_numbers(0)},
    ),
    "fed_nova_weighting": (
        tff_weights.fed_nova_weighting,
        {"momentum": not_numbers(least=0, below=1), "proximal_strength": not_numbers(least=0)},
    ),
    "apply_update": (
        _with(tff_weights.apply_update, _WEIGHTS_TYPE),
        {"learning_rate": not_numbers(0)},
    ),
    "build_server_momentum_finalizer": (
        _with(tff_weights.build_server_momentum_finalizer, _WEIGHTS_TYPE, momentum=0.5),
        {
            "momentum": not_numbers(least=0, below=1),
            "learning_rate": not_numbers(0),
            "every_rounds": not_counts(),
        },
    ),
    "build_fed_prox": (
        _with_model(tff_weights.build_fed_prox),
        {"proximal_strength": not_numbers(least=0)},
    ),
    "build_q_fed_avg": (_with_model(tff_weights.build_q_fed_avg), {"q": not_numbers(least=0)}),
    "build_fed_veca": (
        _with_model(tff_weights.build_fed_veca, _STEPS, num_clients=3),
        {
            "num_clients": not_counts(),
            "alpha": not_numbers(least=0, below=1),
            "most_steps": not_integers(2),
        },
    ),
    "build_scaffold": (
        _with_model(tff_weights.build_scaffold, num_clients=3, variates_dir="nowhere"),
        {"num_clients": not_counts()},
    ),
    "build_trained_alone": (
        _with_model(tff_weights.build_trained_alone, num_clients=3, variates_dir="nowhere"),
        {"num_clients": not_counts()},
    ),
    "TrimmedSumFactory": (
        tff_weights.TrimmedSumFactory,
        {"fraction": not_numbers(least=0, below=0.5)},
    ),
}
_CASES = [
    pytest.param(build, name, refused, id=f"{owner}, {name}")
    for owner, (build, numbers) in _NUMBERS.items()
    for name, refused in numbers.items()
]


@pytest.mark.parametrize(("build", "name", "refused"), _CASES)
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_no_number_or_out_of_range_is_refused_by_name(build, name, refused, data):
    with pytest.raises(ValueError, match=name) as error:
        build(**{name: data.draw(refused)})
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
    ("owner", "name"), [(owner, name) for owner, ends in _JUST_ALLOWED.items() for name in ends]
)
def test_the_ends_of_the_ranges_are_taken(owner, name):
    build, _ = _NUMBERS[owner]
    for value in _JUST_ALLOWED[owner][name]:
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
    *(
        "optimizer",
        "learning_rate_schedule",
        "compile_with_xla",
        "model_weights_type",
        "name",
        "server_update",
        "distribute",
    ),
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
