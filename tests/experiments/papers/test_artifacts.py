from __future__ import annotations

import collections
import csv

import pytest

from experiments.declaration import SCALES
from experiments.papers import catalogue
from experiments.runs.configuration import Seeds
from experiments.runs.plan import artifact_runs

_ALL = list(catalogue.artifacts().values())


@pytest.fixture(params=_ALL, ids=lambda artifact: artifact.name)
def artifact(request):
    return request.param


def test_every_run_is_a_configuration_of_its_own(artifact):
    for scale in SCALES:
        runs = list(artifact_runs(artifact, scale, (1, 2)))
        assert {(run.dataset, run.variant, run.seed) for run in runs} == {
            (dataset, variant.label, seed)
            for dataset in artifact.datasets_at(scale)
            for variant in artifact.variants
            if variant.is_run_on(dataset)
            for seed in (1, 2)
        }
        planned = {(run.configuration, run.step_budget_of) for run in runs}
        assert len(planned) == len(runs)


def test_a_seed_seeds_everything(artifact):
    for run in artifact_runs(artifact, "smoke", (3, 5)):
        assert run.configuration.seeds == Seeds(run.seed, run.seed, run.seed, run.seed)


def test_rounds_that_are_shown_are_evaluated(artifact):
    for scale in SCALES:
        shown = {
            metric.in_round
            for metrics in artifact.tables(scale).values()
            for metric in metrics
            if metric.in_round is not None
        }
        for run in artifact_runs(artifact, scale, (1,)):
            rounds_per_evaluation = run.configuration.rounds_per_evaluation
            for round_number in shown:
                assert round_number % rounds_per_evaluation == 0, round_number
                # What smoke has not got as far as is shown as not reached.
                assert scale == "smoke" or 1 <= round_number <= run.configuration.rounds


def test_metrics_differ_and_are_read_with_others_of_the_table(artifact):
    for scale in SCALES:
        for metrics in artifact.tables(scale).values():
            assert len(set(metrics)) == len(metrics)
            for metric in metrics:
                assert metric.read_with is None or metric.read_with in {m.key for m in metrics}


def test_the_rounds_control_is_one_long_run_read_early():
    """200, 1,000 and 2,000 rounds at the paper's scale, of which 200 is the greatest divisor."""
    artifact = catalogue.artifacts()["fedfa/rounds"]
    assert list(artifact.tables("paper")) == [200, 1000, 2000]
    configurations = [run.configuration for run in artifact_runs(artifact, "paper", (1,))]
    assert len(configurations) == 4 * 6
    for configuration in configurations:
        assert (configuration.rounds, configuration.rounds_per_evaluation) == (2000, 200)


def test_a_data_set_is_not_left_out_of_more_than_a_try_without_a_reason(artifact):
    for name, scale in artifact.scales.items():
        if name != "smoke" and artifact.left_out_at(name):
            assert scale.why_left_out


def test_scales_grow(artifact):
    rounds = [artifact.scales[scale].rounds for scale in SCALES]
    assert rounds == sorted(rounds)


def test_the_papers_numbers_are_for_rows_of_the_table(artifact):
    """A label that is misspelled would leave the paper's column empty."""
    rows = set(artifact.methods)
    datasets_with_numbers = set()
    for dataset, method, _ in artifact.paper_values():
        if dataset in artifact.datasets:
            assert method in rows, method
            datasets_with_numbers.add(dataset)
    if artifact.paper_files:
        assert datasets_with_numbers == set(artifact.datasets)


@pytest.mark.parametrize(
    "path",
    sorted({file for artifact in _ALL for file in artifact.paper_files}),
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_the_papers_files_are_whole(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert None not in row and None not in row.values(), row


def test_the_papers_table_2_is_read():
    values = catalogue.artifacts()["fedfa/table2"].paper_values()
    assert values["synthetic_1_1", "FedFa", "average"] == 76.88
    assert values["synthetic_iid", "FedAvg", "worst20"] == 78.17


def test_step_budgets_are_those_of_fed_vecas_runs_of_the_same_seed(artifact):
    runs = list(artifact_runs(artifact, "paper", (1, 2)))
    configurations = [run.configuration for run in runs]
    for run in runs:
        if run.step_budget_of is not None:
            assert run.step_budget_of in configurations
            assert run.step_budget_of.algorithm == "fed_veca"
            assert run.step_budget_of.dataset == run.dataset
            assert run.step_budget_of.seeds == run.configuration.seeds


def test_in_fed_vecas_table_1_all_others_take_its_steps():
    for name in ("fedveca/table1_svm", "fedveca/table1_cnn"):
        for run in artifact_runs(catalogue.artifacts()[name], "paper", (1,)):
            assert (run.step_budget_of is None) == (run.configuration.algorithm == "fed_veca")
            model = "squared_svm" if name.endswith("svm") else "fed_veca_cnn"
            assert run.configuration.model == model


@pytest.mark.parametrize(
    ("method", "momentum", "images", "own"),
    [
        ("FedAvg", 0.9, (600, 0.0), {"weighting": "num_examples"}),
        ("FedCav", 0.9, (600, 0.0), {"loss_reduction": "sum", "clip": "mean"}),
        ("FedCav, not clipped", 0.9, (600, 0.0), {"loss_reduction": "sum", "clip": "none"}),
        ("FedProx", 0.9, (600, 0.0), {"weighting": "uniform", "proximal_strength": 1.0}),
        ("FedAvg, appendix", 0.0, (300, 150.0), {"weighting": "num_examples"}),
        ("FedCav, appendix", 0.0, (300, 150.0), {"loss_reduction": "mean", "clip": "mean"}),
        (
            "FedCav, appendix, not clipped",
            0.0,
            (300, 150.0),
            {"loss_reduction": "mean", "clip": "none"},
        ),
        (
            "FedProx, appendix",
            0.0,
            (300, 150.0),
            {"weighting": "num_examples", "proximal_strength": 1.0},
        ),
    ],
)
def test_fed_cavs_authors_settings_and_the_appendixs(method, momentum, images, own):
    """Of the authors: `launch_exp.sh`, `create_clients.py`, `local_update.py` and `main.py`."""
    (run,) = (
        run
        for run in artifact_runs(catalogue.artifacts()["fedcav/log"], "paper", (1,))
        if run.variant == method
    )
    configuration = run.configuration
    options = configuration.dataset_options
    assert (options["num_clients"], options["major_share"]) == (100, 0.75)
    assert (options["samples_per_client"], options["stdev"]) == images
    assert configuration.client_momentum == momentum
    assert (configuration.epochs, configuration.batch_size) == (3, 10)
    assert (configuration.learning_rate, configuration.rounds) == (0.01, 100)
    assert configuration.clients_per_round == 10
    assert own.items() <= configuration.hyperparameters.items()


def test_fed_cavs_log_is_read():
    values = catalogue.artifacts()["fedcav/log"].paper_values()
    assert values["mnist_major_minor", "FedCav", "round_10"] == 30.75
    assert values["mnist_major_minor", "FedProx", "round_100"] == 95.60


def test_a_metric_is_read_with_the_same_other_everywhere():
    """Else a page shows an even but useless model without the mark that the artifact gives it."""
    shown = [metric for artifact in _ALL for metric in artifact.metrics]
    others = collections.defaultdict(set)
    for metric in shown:
        others[metric.key].add(metric.read_with)
    assert {key: read_with for key, read_with in others.items() if len(read_with) > 1} == {}
