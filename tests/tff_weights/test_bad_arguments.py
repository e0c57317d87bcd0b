"""Every argument of the library, given what it must not be: one clear error, at once.

An argument that is added without a check is found by the last test.
"""

import dataclasses
import functools
import inspect
import re

import numpy as np
import pytest
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.federation import CLIENTS
from reference.problem import functional_model
from refused_values import but_none, not_counts, not_integers, not_numbers

import tff_weights as tw
from tff_weights import LocalTraining
from tff_weights.client_work.carried_momentum import CarriedMomentum

_WEIGHTS_TYPE = tff.to_type(
    tff.learning.models.ModelWeights((tff.TensorType(np.float32, [2]),), ())
)
_SGD = LocalTraining(learning_rate=0.1, batch_size=10, epochs=1)
_MOMENTUM = dataclasses.replace(_SGD, momentum=0.5)
_PROXIMAL = dataclasses.replace(_SGD, proximal_strength=0.25)
_STEPS = LocalTraining(learning_rate=0.1, batch_size=10, steps=2)
_SHARES = not_numbers(least=0, most=1) | st.just(0.6)  # alpha + beta must be 1.
_NO_TRUTH_VALUES = st.sampled_from((None, 1, 0, 1.0, "no", "", [True]))
_NO_PATHS = st.sampled_from((None, 3, ["a"]))
_NAMES = st.sampled_from((3, None, "", True, ["uniform"])) | st.from_regex(
    r"no such [a-z]+", fullmatch=True
)


def _model(build, local_training=_SGD, **settings):
    return functools.partial(
        build, functional_model(), **{"local_training": local_training, **settings}
    )


_FED_AVG = _model(tw.build_fed_avg)
_FED_FA = _model(tw.build_fed_fa, num_clients=3)
_FED_PROX = _model(tw.build_fed_prox, proximal_strength=0.1)
_FED_NOVA, _WEI_AVG, _Q_FED_AVG = map(
    _model, (tw.build_fed_nova, tw.build_wei_avg, tw.build_q_fed_avg)
)
_FED_VECA = _model(tw.build_fed_veca, _STEPS, num_clients=3)
_SCAFFOLD = _model(tw.build_scaffold, num_clients=3, variates_dir="nowhere")

# From an argument's owner to what must not be given for which argument.
_ARGUMENTS = {
    "LocalTraining": (
        functools.partial(LocalTraining, learning_rate=0.1, batch_size=1, epochs=1),
        {
            "learning_rate": not_numbers(0),
            "batch_size": not_counts(),
            "epochs": but_none(not_numbers(0)) | st.just(1e300),
            "extra_step_from": st.tuples(not_integers(0)) | st.sampled_from((3, np.array([1, 2]))),
            "momentum": not_numbers(least=0, below=1),
            "proximal_strength": not_numbers(least=0),
            "learning_rate_decay": not_numbers(0, most=1),
            "shuffle_seed": not_integers(0),
            **dict.fromkeys(("shuffle", "fresh_batches", "compile_with_xla"), _NO_TRUTH_VALUES),
        },
    ),
    "LocalTraining of steps": (
        functools.partial(LocalTraining, learning_rate=0.1, batch_size=1),
        {"steps": but_none(not_integers(0))},
    ),
    "client_data": (
        functools.partial(tw.client_data, examples=CLIENTS[0]),
        {"client_index": not_integers(0, most=2**63 - 1)},
    ),
    "UniformEpochs": (
        functools.partial(tw.UniformEpochs, least=1, most=5),
        {"least": not_counts(), "most": not_counts(), "share": not_numbers(least=0, most=1)},
    ),
    "StepDecay": (
        functools.partial(tw.StepDecay, factor=0.5, every=2),
        {"factor": not_numbers(0, most=1), "every": not_counts()},
    ),
    "ExponentialDecay": (tw.ExponentialDecay, {"factor": not_numbers(0, most=1)}),
    "CosineDecay": (
        functools.partial(tw.CosineDecay, over=2),
        {"over": not_counts(), "least": not_numbers(least=0, most=1)},
    ),
    "plain_weighting": (_FED_AVG, {"weighting": _NAMES}),
    "fed_fa_weighting": (
        functools.partial(tw.fed_fa_weighting, num_clients=3),
        {
            "num_clients": not_counts(),
            "alpha": _SHARES,
            "beta": _SHARES,
            "epsilon": not_numbers(0, 1),
            "accuracy_at": _NAMES,
        },
    ),
    "fed_adp_weighting": (
        functools.partial(tw.fed_adp_weighting, num_clients=3),
        {"num_clients": not_counts(), "alpha": not_numbers(0), "smoothing": _NAMES},
    ),
    "fed_cav_weighting": (
        functools.partial(tw.fed_cav_weighting, audit=True, audit_by="client", num_clients=3),
        {
            "num_clients": not_counts(),
            **dict.fromkeys(("loss_reduction", "clip", "audit_by"), _NAMES),
            "audit": _NO_TRUTH_VALUES,
        },
    ),
    "wei_avg_weighting": (
        tw.wei_avg_weighting,
        {
            "by": _NAMES,
            "exponent": not_numbers(least=0),
            "shift": not_numbers(0),
            "transform": _NAMES,
            "multiply_by_num_examples": _NO_TRUTH_VALUES,
        },
    ),
    "q_fair_weighting": (
        tw.q_fair_weighting,
        {"q": not_numbers(least=0), "epsilon": not_numbers(0)},
    ),
    "fed_nova_weighting": (
        tw.fed_nova_weighting,
        {"momentum": not_numbers(least=0, below=1), "proximal_strength": not_numbers(least=0)},
    ),
    "term_weighting": (tw.term_weighting, {"tilt": not_numbers(), "example_tilt": not_numbers()}),
    "fed_eba_weighting": (
        tw.fed_eba_weighting,
        {"temperature": not_numbers(0), "prior": _NAMES, "loss_at": _NAMES},
    ),
    "afl_weighting": (
        functools.partial(tw.afl_weighting, num_clients=3),
        {"num_clients": not_counts(), "mixture_rate": not_numbers(least=0)},
    ),
    **{
        build.__name__: (
            functools.partial(build, num_clients=3),
            {"num_clients": not_counts(), "distribution": _NAMES},
        )
        for build in (tw.aagg_ff_s_weighting, tw.aagg_ff_d_weighting)
    },
    "fed_disco_weighting": (
        tw.fed_disco_weighting,
        {"discount": not_numbers(least=0), "offset": not_numbers(), "metric": _NAMES},
    ),
    "fed_mgda_weighting": (
        tw.fed_mgda_weighting,
        {
            "epsilon": not_numbers(least=0, most=1),
            "prior": _NAMES,
            "step_size": not_numbers(0),
            "normalize": _NO_TRUTH_VALUES,
        },
    ),
    "fed_fv_weighting": (tw.fed_fv_weighting, {"alpha": not_numbers(least=0, most=1)}),
    "build_prop_fair": (
        _model(tw.build_prop_fair),
        {"baseline": not_numbers(0), "epsilon": not_numbers(0, 5.0), "weighting": _NAMES},
    ),
    "apply_update": (
        functools.partial(tw.apply_update, _WEIGHTS_TYPE),
        {"learning_rate": not_numbers(0)},
    ),
    "build_server_momentum_finalizer": (
        functools.partial(tw.build_server_momentum_finalizer, _WEIGHTS_TYPE, momentum=0.5),
        {
            "momentum": not_numbers(least=0, below=1),
            "learning_rate": not_numbers(0),
            "every_rounds": not_counts(),
        },
    ),
    "build_fed_prox": (_FED_PROX, {"proximal_strength": not_numbers(least=0), "weighting": _NAMES}),
    "build_fed_fa": (_FED_FA, {"carry_momentum": _NO_TRUTH_VALUES}),
    "build_fed_veca": (
        _FED_VECA,
        {
            "num_clients": not_counts(),
            "alpha": not_numbers(least=0, below=1),
            "most_steps": not_integers(2),
            "reject_worse": _NO_TRUTH_VALUES,
            "acceptance_loss": _NAMES,
            "beta_gradient": _NAMES,
        },
    ),
    "build_scaffold": (_SCAFFOLD, {"num_clients": not_counts(), "variates_dir": _NO_PATHS}),
    "build_trained_alone": (
        _model(tw.build_trained_alone, num_clients=3, store_dir="nowhere"),
        {"num_clients": not_counts(), "store_dir": _NO_PATHS},
    ),
    "build_drfa": (
        _model(tw.build_drfa, num_clients=3, clients_per_round=3),
        {
            "num_clients": not_counts(),
            "clients_per_round": not_integers(1, most=3),
            "mixture_rate": not_numbers(least=0),
            "sampling_seed": not_integers(0),
        },
    ),
    "build_power_of_choice": (
        _model(tw.build_power_of_choice),
        {"num_candidates": not_counts(), "weighting": _NAMES},
    ),
    "build_ditto": (
        _model(tw.build_ditto, num_clients=3, store_dir="nowhere"),
        {
            "num_clients": not_counts(),
            "personal_strength": not_numbers(least=0),
            "store_dir": _NO_PATHS,
            "weighting": _NAMES,
        },
    ),
    "Weighting": (
        functools.partial(dataclasses.replace, tw.uniform_weighting()),
        {"num_clients": but_none(not_counts())},
    ),
    "TrimmedSumFactory": (tw.TrimmedSumFactory, {"fraction": not_numbers(least=0, below=0.5)}),
}
_CASES = [
    pytest.param(build, name, refused, id=f"{owner}, {name}")
    for owner, (build, arguments) in _ARGUMENTS.items()
    for name, refused in arguments.items()
]


@pytest.mark.parametrize(("build", "name", "refused"), _CASES)
@settings(max_examples=15)
@given(data=st.data())
def test_what_is_of_another_kind_or_out_of_range_is_refused_by_name(build, name, refused, data):
    with pytest.raises(ValueError, match=name) as error:
        build(**{name: data.draw(refused)})
    assert len(str(error.value).splitlines()) == 1


def test_a_number_that_float32_cannot_hold_is_refused():
    """It would be infinite in TensorFlow."""
    with pytest.raises(ValueError, match="learning_rate .*float32"):
        dataclasses.replace(_SGD, learning_rate=1e39)


_ADAM = {"optimizer": tff.learning.optimizers.build_adam}
_SQUARED = {"local_loss": lambda loss: loss**2}
_BY_STEP = {"learning_rate_schedule": tw.CosineDecay(5, by="step")}
_AUDITED = tw.fed_cav_weighting(audit=True)
# What takes updates for gradients, which it cannot of Adam's steps.
_OF_SGD_ALONE = {
    "fed_nova": _FED_NOVA,
    "q_fed_avg": _Q_FED_AVG,
    "scaffold": _SCAFFOLD,
    "fed_veca": _FED_VECA,
    "measured gradients": functools.partial(_FED_AVG, measured="gradient_distance_to_mean"),
}
# What is handed on to the finalizer, or cannot be had together; and what the error names.
_LATER = [
    (_FED_FA, {"server_momentum": 1.0}, "momentum .*1.0"),
    (_FED_FA, {"momentum_every_rounds": 0}, "every_rounds .*0"),
    (_model(tw.build_fed_fa_mo), {"server_learning_rate": 0.0}, "learning_rate .*0.0"),
    (_SCAFFOLD, {"server_learning_rate": 0.0}, "learning_rate .*0.0"),
    *(
        (build, {"local_training": _PROXIMAL}, r"local_training.proximal.* 0.25")
        for build in (_FED_PROX, _FED_NOVA, _WEI_AVG)
    ),
    *(
        (build, {"local_training": dataclasses.replace(_STEPS, **given)}, next(iter(given)))
        for build in _OF_SGD_ALONE.values()
        for given in (_ADAM, _BY_STEP, _SQUARED)
    ),
    *(
        (_FED_VECA, {"local_training": local_training}, message)
        for local_training, message in (
            (_SGD, "steps .*None.*epochs=1"),
            (dataclasses.replace(_SGD, epochs=tw.UniformEpochs(1, 5)), "epochs=UniformEpochs"),
        )
    ),
    *(
        (
            _FED_VECA,
            {"local_training": dataclasses.replace(_STEPS, **{name: value})},
            f"{name}.*{re.escape(repr(value))}",
        )
        for name, value in (
            *(("steps", 1), ("momentum", 0.5), ("proximal_strength", 0.25)),
            *(("learning_rate_decay", 0.9), ("learning_rate_schedule", tw.StepDecay(0.1, 2))),
            ("extra_step_from", (0, 0, 0)),
        )
    ),
    (_FED_VECA, {"local_training": dataclasses.replace(_STEPS, steps=51)}, "most_steps .*51.*50"),
    (
        _FED_VECA,
        {"acceptance_loss": "averaged_model", "reject_worse": False},
        "acceptance_loss='averaged_model' .*reject_worse=False",
    ),
    (
        functools.partial(dataclasses.replace, _STEPS, shuffle=False),
        {"fresh_batches": True},
        "shuffle=False",
    ),
    (_FED_AVG, {"measured": "angle,label_entropy"}, "measured must be .* 'angle,label_entropy'"),
    (functools.partial(tw.UniformEpochs, 3, 2), {}, "epochs.most .*3"),
    (functools.partial(tw.StepDecay, 0.5, 2, by="epoch"), {}, "learning_rate_schedule.by "),
    (_FED_FA, {"carry_momentum": True}, "store_dir is needed"),
    (
        _FED_FA,
        {"carry_momentum": True, "store_dir": "nowhere"},
        "momentum that is carried on must be above 0",
    ),
    (
        _model(tw.build_fed_fa, dataclasses.replace(_MOMENTUM, **_BY_STEP), num_clients=3),
        {"carry_momentum": True, "store_dir": "nowhere"},
        "momentum that is carried on .*by='step'",
    ),
    (
        _model(tw.compose_algorithm, _MOMENTUM, work=CarriedMomentum(3, "nowhere")),
        {"weighting": tw.fed_nova_weighting(momentum=0.5)},
        "work must not be CarriedMomentum",
    ),
    (_SCAFFOLD, {"local_training": _MOMENTUM}, "SCAFFOLD.*momentum.*0.5"),
    (_SCAFFOLD, {"local_training": _PROXIMAL}, "SCAFFOLD.*proximal_strength.*0.25"),
    (
        _FED_NOVA,
        {"local_training": _MOMENTUM, "proximal_strength": 0.25},
        "momentum=0.5.*proximal_strength=0.25",
    ),
    (
        _model(tw.compose_algorithm, _MOMENTUM),
        {"weighting": tw.accept_if_loss_falls(tw.fed_nova_weighting())},
        "momentum=0.0, local_training has momentum=0.5",
    ),
    *(
        (tw.accept_if_loss_falls, {"weighting": weighting}, "verdict")
        for weighting in (_AUDITED, tw.accept_if_loss_falls(tw.uniform_weighting()))
    ),
    (tw.fed_adp_weighting, {}, "num_clients .*got None"),
    (tw.LocalWork, {"store_dir": "nowhere"}, "num_clients must be .*, got None"),
    (
        _ARGUMENTS["build_ditto"][0],
        {"local_training": _PROXIMAL},
        "proximal_strength must be 0, got 0.25",
    ),
    *(
        (
            build,
            {"local_training": dataclasses.replace(_SGD, **_SQUARED)},
            "local_training.local_loss must be None",
        )
        for build in (
            _ARGUMENTS["build_prop_fair"][0],
            _model(functools.partial(tw.build_term, example_tilt=1.0)),
        )
    ),
    *(
        (functools.partial(dataclasses.replace, _SGD), given, next(iter(given)))
        for given in (
            {"optimizer": "adam"},
            {"local_loss": 2.0},
            {"fresh_batches": True},
            {"steps": 3},
            {"epochs": None},
            {"momentum": 0.5, **_ADAM},
            {"learning_rate_schedule": lambda count: count},
            {"learning_rate_schedule": tw.StepDecay(0.5, 2), "learning_rate_decay": 0.9},
        )
    ),
]


def test_the_rate_of_any_local_training_can_be_measured():
    _FED_AVG(measured="learning_rate", local_training=dataclasses.replace(_STEPS, **_ADAM))


@pytest.mark.parametrize(("build", "given", "message"), _LATER)
def test_what_is_refused_later_is_named(build, given, message):
    with pytest.raises(ValueError, match=message):
        build(**given)


# Of other types, or checked by whoever is given them.
_NOT_LISTED = {
    *("model", "local_training", "inner_factory", "correct_fn", "wrap_client_work"),
    *("store_dir", "variates_dir"),
    *(
        "measured",
        "local_loss",
        "optimizer",
        "learning_rate_schedule",
        "model_weights_type",
        "name",
    ),
    *("server_update", "distribute"),
    # See _LATER.
    *("server_momentum", "server_learning_rate", "momentum_every_rounds"),
}


def test_no_argument_is_forgotten():
    listed = {name for _, arguments in _ARGUMENTS.values() for name in arguments}
    public = [
        getattr(tw, name)
        for name in tw.__all__
        if name.startswith("build_fed")
        or name.endswith(("_weighting", "_fair"))
        or name == "LocalTraining"
    ]
    taken = {name for one in public for name in inspect.signature(one).parameters}
    assert taken - listed - _NOT_LISTED == set()
