"""Every flag of a run that is a number, given what it must not be: one sentence, status 2."""

from __future__ import annotations

import pytest

_NO_NUMBERS = ("nan", "inf", "-inf", "1e999", "x", "", "0x10", "1,5", "-1")
_NOT_WHOLE = (*(x for x in _NO_NUMBERS if x != "0x10"), "1.5", "99999999999999999999")
# From an algorithm to what must not be given for which flag.
_BAD = {
    "fed_avg": {
        "rounds": (*_NOT_WHOLE, "0"),
        "clients_per_round": (*_NOT_WHOLE, "0", "31"),
        "rounds_per_evaluation": (*_NOT_WHOLE, "0"),
        "rounds_per_checkpoint": ("nan", "x", "0", "-1"),
        "clients_per_evaluation": (*_NOT_WHOLE, "0", "31"),
        "learning_rate": (*_NO_NUMBERS, "0"),
        "learning_rate_decay": (*_NO_NUMBERS, "0", "1.1"),
        "batch_size": (*_NOT_WHOLE, "0"),
        "epochs": (*_NO_NUMBERS, "0"),
        "steps": _NOT_WHOLE,
        "client_momentum": (*_NO_NUMBERS, "1"),
        "attack_round": (*_NOT_WHOLE, "0"),
        "data_seed": _NOT_WHOLE,
        "sampling_seed": _NOT_WHOLE,
        "model_seed": _NOT_WHOLE,
        "shuffling_seed": _NOT_WHOLE,
        "cohort_workers": ("nan", "x", "0", "-1"),
        "weighting": ("", "x"),
        "client_sampling": ("", "x"),
        "measured": ("x", "num_examples,,"),
        "model": ("", "x"),
        "dataset_option": ("", "x", "num_clients", "num_clients=x", "num_clients=0",
                           "num_clients=nan", "train_fraction=nan", "train_fraction=1.5"),
        "hyperparameter": ("", "x", "weighting", "weighting=x"),
    },
    "fed_prox": {"proximal_strength": _NO_NUMBERS},
    "q_fed_avg": {"q": _NO_NUMBERS},
    "fed_fa": {
        "alpha": (*_NO_NUMBERS, "1.1"),
        "beta": (*_NO_NUMBERS, "1.1"),
        "accuracy_at": ("x",),
        "server_momentum": (*_NO_NUMBERS, "1"),
        "server_learning_rate": (*_NO_NUMBERS, "0"),
        "momentum_every_rounds": (*_NOT_WHOLE, "0"),
    },
    "fed_adp": {"alpha": (*_NO_NUMBERS, "0"), "smoothing": ("x",)},
    "fed_veca": {"alpha": (*_NO_NUMBERS, "1"), "most_steps": (*_NOT_WHOLE, "1")},
    "wei_avg": {"exponent": _NO_NUMBERS, "shift": (*_NO_NUMBERS, "0"), "by": ("x",)},
    "fed_cav": {"loss_reduction": ("x",), "clip": ("x",), "audit": ("x",)},
}  # fmt: skip


# What the library calls them.
_CALLED = {
    "client_momentum": "momentum must be",
    "server_momentum": "the server's momentum must be",
    "server_learning_rate": "the server's learning_rate must be",
    "momentum_every_rounds": "every_rounds must be",
    "shuffling_seed": "shuffle_seed must be",
}


@pytest.mark.long
def test_what_a_flag_must_not_be_is_one_sentence_and_status_2(run_each, tmp_path):
    new = tmp_path / "new"
    cases = [
        (name, [f"--algorithm={algorithm}", f"--output_dir={new}", f"--{name}={value}"])
        for algorithm, flags in _BAD.items()
        for name, values in flags.items()
        for value in values
    ]
    wrong = []
    for (name, flags), ended in zip(cases, run_each("train", [flags for _, flags in cases])):
        is_right = ended.status == 2 and len(ended.errors.splitlines()) == 1 and not ended.output
        setting = flags[-1].partition("=")[2].partition("=")[0]
        named = (name, setting, _CALLED.get(name, name))
        if not (is_right and any(word and word in ended.errors for word in named)):
            wrong.append((flags[0], flags[-1], ended.status, ended.errors[-300:]))
    assert not wrong, "\n".join(map(str, wrong))
    assert not new.exists()
