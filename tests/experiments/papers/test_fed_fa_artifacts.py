"""FedFa's artifacts, cell by cell; the settings are of its section 4."""

from __future__ import annotations

import pytest
from planned_runs import artifact_of, configurations_of

from experiments.declaration import Curves, ParameterSweep
from experiments.papers import catalogue

_SYNTHETIC = ("synthetic_iid", "synthetic_0_0", "synthetic_0.5_0.5", "synthetic_1_1")
_DIRICHLET = tuple(f"synthetic_dirichlet_{zeta}" for zeta in ("0.1", "0.5", "3", "5"))
_REAL = ("mnist", "femnist", "sent140", "shakespeare")
_BASELINES = {
    "FedAvg": "fed_avg",
    "FedProx": "fed_prox",
    "SCAFFOLD": "scaffold",
    "FedNova": "fed_nova",
}
_MOMENTA = {
    "synthetic_iid": (0.9, 0.5),
    "synthetic_0_0": (0.9, 0.5),
    "synthetic_0.5_0.5": (0.5, 0.5),
    "synthetic_1_1": (0.5, 0.5),
    **dict.fromkeys(_DIRICHLET, (0.5, 0.5)),
    "mnist": (0.5, 0.5),
    "femnist": (0.2, 0.5),
    "sent140": (0.1, 0.5),
    "shakespeare": (0.5, 0.5),
}
# Rates of the baselines, and of FedFa.
_REAL_RATES = {
    "mnist": (0.03, 0.0003),
    "femnist": (0.003, 0.0003),
    "sent140": (0.3, 0.0001),
    "shakespeare": (0.8, 0.08),
}


def _momenta(configuration):
    return configuration.client_momentum, configuration.hyperparameters["server_momentum"]


@pytest.mark.parametrize(
    ("number", "datasets", "rate"),
    [(2, _SYNTHETIC, 0.01), (4, _SYNTHETIC, 0.001), (5, _SYNTHETIC, 0.0001), (6, _DIRICHLET, 0.01)],
)
def test_figures_2_4_5_and_6(number, datasets, rate):
    configurations = configurations_of(f"fedfa/fig{number}")
    assert {dataset for dataset, _ in configurations} == set(datasets)
    assert len(configurations) == 4 * 6
    for (dataset, label), configuration in configurations.items():
        assert (configuration.clients_per_round, configuration.batch_size) == (10, 10)
        assert configuration.rounds == 200
        assert configuration.epochs == (5 if label == "FedNova" else 20)
        if label in _BASELINES:
            assert configuration.algorithm == _BASELINES[label]
            assert configuration.learning_rate == rate
            assert configuration.client_momentum == 0
        else:
            assert configuration.algorithm == "fed_fa_mo"
            assert configuration.learning_rate == 0.0001
            momenta = (
                configuration.client_momentum,
                configuration.hyperparameters["server_momentum"],
            )
            assert momenta == _MOMENTA[dataset]


def test_figure_3_has_the_real_data_sets_with_their_rates():
    configurations = configurations_of("fedfa/fig3")
    assert {dataset for dataset, _ in configurations} == set(_REAL)
    for (dataset, label), configuration in configurations.items():
        baseline, own = _REAL_RATES[dataset]
        if label in _BASELINES:
            assert configuration.algorithm == _BASELINES[label]
            assert configuration.learning_rate == baseline
        else:
            assert configuration.learning_rate == own
            momenta = (
                configuration.client_momentum,
                configuration.hyperparameters["server_momentum"],
            )
            assert momenta == _MOMENTA[dataset]


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 10])
def test_curves_are_of_accuracy_and_loss(number):
    view = artifact_of(f"fedfa/fig{number}").view
    assert isinstance(view, Curves)
    assert [curve.column for curve in view.curves] == [
        "evaluation/test_weighted_average",
        "evaluation/train_loss",
    ]


@pytest.mark.parametrize(("number", "dataset"), [(8, "synthetic_1_1"), (9, "mnist")])
def test_figures_8_and_9_go_from_participation_to_accuracy_in_tenths(number, dataset):
    artifact = artifact_of(f"fedfa/fig{number}")
    assert isinstance(artifact.view, ParameterSweep)
    configurations = configurations_of(artifact.name)
    assert {name for name, _ in configurations} == {dataset}
    shares = [
        tuple(configuration.hyperparameters[name] for name in ("alpha", "beta"))
        for configuration in configurations.values()
    ]
    assert shares == [
        (0.0, 1.0),
        (0.1, 0.9),
        (0.2, 0.8),
        (0.3, 0.7),
        (0.4, 0.6),
        (0.5, 0.5),
        (0.6, 0.4),
        (0.7, 0.3),
        (0.8, 0.2),
        (0.9, 0.1),
        (1.0, 0.0),
    ]
    for variant in artifact.variants:
        assert artifact.view.parameter in variant.settings


def test_figure_8_shares_its_runs_with_table_2():
    table = set(configurations_of("fedfa/table2").values())
    figure = set(configurations_of("fedfa/fig8").values())
    assert len(table & figure) == 3


def test_figure_10_has_the_servers_momentum_every_round_and_every_third():
    configurations = configurations_of("fedfa/fig10")
    assert {
        (dataset, configuration.hyperparameters["momentum_every_rounds"])
        for (dataset, _), configuration in configurations.items()
    } == {(dataset, every) for dataset in ("synthetic_1_1", "femnist") for every in (1, 3)}


def test_the_controls_have_every_baseline_at_every_rate():
    configurations = configurations_of("fedfa/controls")
    found = {
        (
            configuration.algorithm,
            configuration.hyperparameters.get("weighting"),
            configuration.learning_rate,
        )
        for (dataset, _), configuration in configurations.items()
        if dataset == "synthetic_1_1"
    }
    assert found == {
        *(("fed_avg", "num_examples", rate) for rate in (0.01, 0.001, 0.0001)),
        *(("fed_avg", "uniform", rate) for rate in (0.01, 0.001, 0.0001)),
        *(("fed_prox", "num_examples", rate) for rate in (0.01, 0.001, 0.0001)),
        *(("q_fed_avg", None, rate) for rate in (0.01, 0.001, 0.0001)),
        *(("scaffold", None, rate) for rate in (0.01, 0.001, 0.0001)),
        *(("fed_nova", None, rate) for rate in (0.01, 0.001, 0.0001)),
        ("fed_fa_mo", "uniform", 0.0001),
        ("fed_fa", None, 0.0001),
    }
    for (_, label), configuration in configurations.items():
        if " at " in label:
            assert float(label.rpartition(" at ")[2]) == configuration.learning_rate


def test_the_table_of_make_fairness_is_the_synthetic_four():
    """Its numbers are promised to stay: labels, data sets and sizes."""
    artifact = artifact_of("fedfa/table2")
    assert artifact.datasets == _SYNTHETIC
    assert artifact.methods == (
        "FedAvg",
        "FedProx",
        "q-Fair",
        "FedFa-mo",
        "FedFa-mo, n_i",
        "FedFa (0.5, 0.5)",
        "FedFa (0, 1)",
        "FedFa (1, 0)",
        "FedFa",
    )
    assert artifact.scales["short"].rounds == 100


def test_the_papers_numbers_for_real_data_are_read():
    values = artifact_of("fedfa/table2_real").paper_values()
    assert values["femnist", "FedFa", "average"] == 77.96
    assert values["sent140", "q-Fair", "variance"] == 609.63
    assert values["femnist", "FedFa-mo", "worst20"] == 38.02
    assert artifact_of("fedfa/table3_real").paper_values()["sent140", "FedFa", "worst20"] == 42.66
    values = artifact_of("fedfa/table1").paper_values()
    assert values["mnist", "clients", "samples"] == 69035
    assert values["shakespeare", "clients", "stdev"] == 6808
    assert values["sent140", "clients", "mean"] == 53


def _claims(paper):
    return [claim for claim in catalogue.claims() if claim.name.startswith(f"{paper}/")]


def test_the_headline_claims_are_there():
    """(artifact, metric, better, worse) of what must not be missing."""
    found = {
        (claim.artifact, claim.metric.key, claim.better, claim.worse) for claim in _claims("fedfa")
    }
    for metric in ("test_worst_20", "test_variance"):
        for other in ("FedAvg", "FedProx", "q-Fair"):
            assert ("fedfa/table2", metric, "FedFa", other) in found
            assert ("fedfa/controls", metric, "FedFa", f"{other} at 0.0001") in found
        assert ("fedfa/table3", metric, "FedFa", "FedFa-mo") in found
        assert ("fedfa/controls", metric, "FedFa", "uniform, both momenta") in found
        assert ("fedfa/controls", metric, "FedFa", "SCAFFOLD at 0.0001") in found
        assert ("fedfa/controls", metric, "FedFa", "FedNova at 0.001") in found


def test_claims_differ_and_what_no_paper_says_is_a_control():
    claims = _claims("fedfa")
    assert len({claim.name for claim in claims}) == len(claims)
    for claim in claims:
        is_control = claim.artifact == "fedfa/controls"
        assert (claim.source == "Control") == is_control
        assert claim.metric.smaller_is_better == (
            claim.metric.key in ("test_variance", "train_loss", "oscillation")
        )


def test_a_claim_of_the_paper_is_true_of_its_own_numbers():
    """What the paper says in words must be in its tables, on the data sets that it is said of."""
    for claim in _claims("fedfa"):
        artifact = artifact_of(claim.artifact)
        values = artifact.paper_values()
        columns = {metric.key: metric.paper_column for metric in artifact.metrics}
        if not values:
            continue
        for dataset in claim.datasets or artifact.datasets:
            column = columns[claim.metric.key]
            better = values[dataset, claim.better, column]
            worse = values[dataset, claim.worse, column]
            assert (better < worse) == claim.metric.smaller_is_better, (claim.name, dataset)
