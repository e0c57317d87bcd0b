from __future__ import annotations

import dataclasses

import pytest

from experiments.declaration import Algorithm, Paper
from experiments.papers import catalogue
from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure, read_run, resolve
from experiments.runs.training import prepare


def test_what_is_given_comes_before_the_recipe():
    configuration = configure(
        "fed_fa",
        "synthetic_1_1",
        {"rounds": 2, "learning_rate": 0.5, "server_momentum": 0.1, "seeds": Seeds(data=4)},
    ).configuration
    assert configuration.learning_rate == 0.5
    assert configuration.hyperparameters["server_momentum"] == 0.1
    assert configuration.hyperparameters["alpha"] == 0.5  # The builder's default, written out.
    assert configuration.seeds == Seeds(data=4)
    configuration = configure("fed_avg", "synthetic_1_1", {"steps": 9}).configuration
    assert (configuration.epochs, configuration.steps) == (None, 9)
    configuration = configure("fed_veca", "synthetic_1_1", {"epochs": 3}).configuration
    assert (configuration.epochs, configuration.steps) == (3, None)


def test_the_cohort_is_as_large_as_the_data_set_whose_clients_all_take_part():
    def cohort(dataset, **options):
        run = configure("fed_avg", dataset, {"rounds": 2, **options})
        return run.configuration.clients_per_round

    assert [cohort("mnist_case_3", num_clients=number) for number in (5, 30, 50)] == [5, 30, 50]
    assert cohort("mnist_x_class", num_iid=3, num_non_iid=0) == 3
    assert cohort("mnist_mixed_classes", num_two_class=4) == 12
    assert cohort("mnist_case_3", num_clients=30, clients_per_round=7) == 7
    pooled = configure("centralized_sgd", "mnist_case_3", {"rounds": 2, "num_clients": 30})
    assert pooled.configuration.steps == 30 * 50
    with pytest.raises(ValueError, match="num_iid"):
        cohort("mnist_x_class", num_iid=[3])


@pytest.mark.parametrize(("option", "algorithm"), [("alpha", "fed_fa"), ("data_seed", "fed_avg")])
def test_a_data_sets_option_is_no_setting(tmp_path, monkeypatch, option, algorithm):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / f"own_{option}.py").write_text(f"def load(*, {option}: float = 1.0): ...")
    with pytest.raises(ValueError, match=f"has the option {option}, and .* call the option"):
        configure(algorithm, f"own_{option}:load", {"learning_rate": 0.1})


def test_nobody_says_a_rate_for_data_of_anybodys():
    with pytest.raises(ValueError, match="learning_rate is needed: no recipe has one for fed_avg"):
        configure("fed_avg", "leaf", {"rounds": 2, "leaf_dir": "folder"})
    given = {"rounds": 2, "leaf_dir": "folder", "learning_rate": 0.1}
    assert configure("fed_avg", "leaf", given).configuration.learning_rate == 0.1


def test_what_is_not_of_this_software_is_named_with_its_source():
    """Two ways to the same builder; one names the module that it is from."""
    ours = configure("fed_prox", "synthetic_1_1", {"rounds": 2}).configuration
    assert ours.sources == {}
    given = {"rounds": 2, "proximal_strength": 1.0}
    run = configure("tff_weights:build_fed_prox", "synthetic_1_1", given)
    own = run.configuration
    assert own.algorithm == "tff_weights:build_fed_prox"
    assert own.hyperparameters == ours.hyperparameters
    assert list(own.sources) == ["tff_weights"]
    assert read_run(own.to_json()) == run
    changed = run.with_settings(sources={"tff_weights": "0"})
    with pytest.raises(ValueError, match="the source of tff_weights is another than when this"):
        prepare(changed, "never_made")


@pytest.mark.parametrize(
    ("algorithm", "given", "message"),
    [
        ("fed_avg", {"q": 1.0}, "q is not used by fed_avg.* only by q_fed_avg"),
        ("fed_avg", {"colour": 1.0}, "colour is not used by fed_avg"),
        ("fedavg", {}, "fedavg"),
        *(("fed_fa", {"alpha": value}, "alpha") for value in ("much", True, [1])),
    ],
)
def test_what_does_not_fit_is_named(algorithm, given, message):
    with pytest.raises(ValueError, match=message):
        configure(algorithm, "synthetic_1_1", {"rounds": 2, **given})
    configuration = configure("fed_avg", "synthetic_1_1", {"rounds": 1}).configuration
    with pytest.raises(ValueError, match="q is"):  # As a file may have it.
        resolve(dataclasses.replace(configuration, hyperparameters={"q": 1.0}))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda model, *, local_training, sharpness: None, "sharpness is needed by own"),
        (
            lambda model, *, local_training, rounds=3: None,
            "own has the hyperparameter rounds, which every run",
        ),
    ],
)
def test_a_hyperparameter_that_is_missing_or_named_as_every_runs_is_refused(
    monkeypatch, build, message
):
    paper = Paper("own", "Own", "", algorithms={"own": Algorithm(build)})
    monkeypatch.setitem(catalogue.papers(), "own", paper)
    with pytest.raises(ValueError, match=message):
        configure("own", "synthetic_1_1", {"rounds": 2})
