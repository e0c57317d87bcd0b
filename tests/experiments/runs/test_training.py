from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from made_runs import TABLES, small_run, tables, train

from experiments.runs import training
from experiments.runs.configuration import Seeds
from experiments.runs.kept_models import BEST, LAST, KeptModels
from experiments.runs.learning_process import build_process
from experiments.runs.run_directory import RunDirectory, RunDirectoryError
from leaf_data.statistics import label_entropy_per_client
from leaf_data.tasks import load_task
from tff_weights import build_per_client_evaluation


def _resolved(algorithm="fed_fa", **given):
    six = {"num_clients": 6, "clients_per_round": 3, "rounds": 3, "epochs": 1}
    return small_run(algorithm, **{**six, **given})


def _train(run, path, **options) -> RunDirectory:
    return train(path, run, **options).directory


pytestmark = pytest.mark.usefixtures("built_once")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of FedFa on synthetic_1_1, 3 rounds, with a checkpoint after each."""
    path = tmp_path_factory.mktemp("training") / "run"
    return _train(_resolved(), path, rounds_per_checkpoint=1, for_tensorboard=True)


def test_a_run_has_a_row_per_round_and_per_client_and_clock_times_in_a_table_of_their_own(finished):
    rows = list(csv.DictReader(finished.metrics.read_text().splitlines()))
    assert [row["round"] for row in rows] == ["0", "1", "2", "3"]
    result = finished.read_result()
    assert {name: float(rows[-1][f"evaluation/{name}"]) for name in result} == result
    assert len(json.loads(rows[-1]["aggregator/cohort/weights"])) == 3
    assert rows[0]["aggregator/cohort/weights"] == ""
    assert int(rows[-1]["bytes_up_per_client"]) > 610 * 4  # The model has 610 float32 weights.
    assert not [name for name in rows[0] if "time" in name]
    times = ["evaluation/evaluation_time_in_seconds", "training_time_in_seconds"]
    assert list(pd.read_csv(finished.timings).columns) == ["round", *times]
    clients = pd.read_csv(finished.clients)
    dataset = load_task("synthetic_1_1", options={"num_clients": 6}).dataset
    of_data = ["client_id", "client_index", "num_train", "num_test", "label_entropy"]
    assert list(clients.columns) == [*of_data, "train_accuracy", "test_accuracy"]
    assert list(clients["client_index"]) == list(range(6))
    assert list(clients["client_id"]) == dataset.client_ids
    entropies = label_entropy_per_client(dataset)
    np.testing.assert_allclose(clients["label_entropy"], entropies, atol=1e-6)
    assert 100 * clients["test_accuracy"].mean() == pytest.approx(result["test_average"], abs=1e-3)


def test_the_newest_checkpoints_and_the_last_and_the_best_model_are_kept(finished, tmp_path):
    """The best round is the first row with the highest average; a damaged model is none."""
    names = sorted(path.name for path in finished.checkpoints.iterdir())
    assert names == ["program_state_2", "program_state_3"]
    assert list(finished.tensorboard.glob("events*"))
    averages = pd.read_csv(finished.metrics)["evaluation/test_average"]
    kept = KeptModels(finished.models)
    for which, round_number in ((LAST, 3), (BEST, averages.argmax())):
        facts = kept.facts(which)
        assert (facts["round"], facts["test_average"]) == (round_number, averages[round_number])
    copied = tmp_path / "models"
    shutil.copytree(finished.models, copied)
    worse = {"test_average": averages.max() - 1.0}
    assert not KeptModels(copied).is_better(worse)
    (copied / "best.npz").write_bytes(b"damaged")
    assert KeptModels(copied).is_better(worse)


def test_with_other_checkpoints_the_bytes_are_the_same(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "build_process", build_process)  # It is built again.
    assert tables(_train(_resolved(), tmp_path / "run").path) == tables(finished.path)


@pytest.mark.parametrize(
    "name", ["model", *(pytest.param(n, marks=pytest.mark.long) for n in ("sampling", "shuffling"))]
)
def test_another_seed_gives_other_numbers(finished, tmp_path, name):
    directory = _train(_resolved(seeds=Seeds(**{name: 1}), rounds=1), tmp_path / "run")
    assert not finished.metrics.read_bytes().startswith(directory.metrics.read_bytes())


def test_a_rarer_evaluation_of_fewer_clients_changes_nothing_else(finished, tmp_path):
    """Before the first round, after the second, and at last, of training data then alone."""
    run = _resolved(clients_per_evaluation=4, rounds_per_evaluation=2, evaluated_data="test")
    directory = _train(run, tmp_path / "run")
    clients, of_all = pd.read_csv(directory.clients), pd.read_csv(finished.clients)
    evaluated = clients["test_accuracy"].notna()
    assert evaluated.sum() == clients["train_accuracy"].notna().sum() == 4
    some = clients[evaluated]
    pd.testing.assert_frame_equal(some, of_all[evaluated], check_exact=True)
    of_data = ["client_id", "num_train", "num_test", "label_entropy"]
    pd.testing.assert_frame_equal(clients[of_data], of_all[of_data], check_exact=True)
    result = directory.read_result()
    assert result["test_num_clients"] == 4 and "train_loss" in result
    assert result["test_average"] == pytest.approx(100 * some["test_accuracy"].mean(), abs=1e-3)
    metrics, all_metrics = pd.read_csv(directory.metrics), pd.read_csv(finished.metrics)
    assert list(metrics["round"][metrics["evaluation/test_average"].notna()]) == [0, 2]
    assert not [name for name in metrics.columns if name.startswith("evaluation/train_")]
    of_training = [name for name in metrics.columns if not name.startswith("evaluation/")]
    pd.testing.assert_frame_equal(metrics[of_training], all_metrics[of_training], check_exact=True)


def test_a_run_ends_once_it_has_reached_its_target(finished, tmp_path):
    """Its rounds are the first ones of a run without a target, even if it is interrupted."""
    reached = pd.read_csv(finished.metrics)["evaluation/test_weighted_average"][:3].max()
    run = _resolved(rounds=9, target_accuracy=float(reached), least_rounds=2)
    directory = _train(run, tmp_path / "run", rounds_per_checkpoint=1)
    assert directory.metrics.read_text() == "".join(finished.metrics.open().readlines()[:4])
    assert KeptModels(directory.models).facts(LAST)["round"] == 2
    before = _bytes(directory)
    directory.manifest.unlink()
    train(directory.path, run, resume=True)
    assert _bytes(directory) == before


def _bytes(directory: RunDirectory) -> dict[str, bytes]:
    names = (*TABLES, "configuration.json", "models/last.npz", "models/best.npz")
    return {name: (directory.path / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def short_and_long(finished, tmp_path_factory):
    """Runs of 3 rounds, with a checkpoint after each, and of 5, by algorithm."""
    path = tmp_path_factory.mktemp("lengths")
    scaffold = _train(_resolved("scaffold"), path / "short", rounds_per_checkpoint=1)
    return {
        name: (short, _train(_resolved(name, rounds=5), path / name))
        for name, short in {"fed_fa": finished, "scaffold": scaffold}.items()
    }


@pytest.mark.parametrize(
    ("algorithm", "lost"), [("fed_fa", ()), ("fed_fa", (2, 3)), ("scaffold", (3,))]
)
def test_more_rounds_of_a_finished_run_are_those_of_a_longer_one(
    tmp_path, short_and_long, algorithm, lost
):
    """From the last checkpoint that there is, at round 3 or 2 of 3, or from the beginning."""
    short, at_once = short_and_long[algorithm]
    shutil.copytree(short.path, tmp_path / "run")
    for round_number in lost:
        shutil.rmtree(tmp_path / "run" / "checkpoints" / f"program_state_{round_number}")
    long = _resolved(algorithm, rounds=5)
    with pytest.raises(RunDirectoryError, match="resume"):
        training.prepare(long, tmp_path / "run")
    lengthened = train(tmp_path / "run", long, resume=True)
    assert _bytes(lengthened.directory) == _bytes(at_once)


@pytest.mark.parametrize(
    ("algorithm", "given", "message"),
    [
        ("fed_avg", {"clients_per_round": 7}, "clients_per_round"),
        ("fed_fa", {"alpha": 0.7, "beta": 0.7}, "alpha"),
    ],
)
def test_a_configuration_that_does_not_fit_writes_nothing(tmp_path, algorithm, given, message):
    with pytest.raises(ValueError, match=message):
        training.prepare(_resolved(algorithm, **given), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rounds", [3, 5])
def test_a_run_does_not_go_on_with_data_that_have_changed(finished, tmp_path, monkeypatch, rounds):
    """As if the files were others at the same path, which its configuration does not say."""
    shutil.copytree(finished.path, tmp_path / "run")
    other = load_task("synthetic_1_1", data_seed=1, options={"num_clients": 6})
    monkeypatch.setattr(training, "load_data", lambda *_, **__: other)
    with pytest.raises(RunDirectoryError, match="on other data"):
        training.prepare(_resolved(rounds=rounds), tmp_path / "run", resume=True)


_ALONE = {"clients_per_round": 2, "rounds": 4}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A finished run of clients that train alone, 4 rounds."""
    return train(
        tmp_path_factory.mktemp("training") / "alone", _resolved("trained_alone", **_ALONE)
    )


def test_clients_that_train_alone_are_an_ordinary_run(alone, tmp_path):
    """4 rounds of 2 turns give each of 6 clients 2 turns, and so 12 turns, 3 a round.

    Client 4's kept model has the accuracy that the run has measured of it.
    """
    directory, task = alone.directory, alone.task
    metrics, clients = pd.read_csv(directory.metrics), pd.read_csv(directory.clients)
    reported = metrics["aggregator/cohort/reports/client_index"].dropna().map(json.loads)
    assert sorted(sum(reported, [])) == sorted([*range(6)] * 2)
    assert list(metrics["bytes_up_per_client"].dropna()) == [0] * 4
    accuracies, average = clients["test_accuracy"], directory.read_result()["test_average"]
    assert 100 * accuracies.mean() == pytest.approx(average, abs=1e-3)
    assert metrics["evaluation/train_loss"].is_monotonic_decreasing

    kept, client_id = KeptModels(directory.models), task.dataset.client_ids[4]
    weights = kept.load(LAST, task.build_model(0), client_id)
    examples = task.dataset.test.examples(client_id)
    evaluate = build_per_client_evaluation(
        task.build_model(0), examples, [len(examples["y"])], correct_fn=task.correct_fn
    )
    assert evaluate(weights).accuracies[0] == pytest.approx(accuracies[4], abs=1e-6)
    assert kept.facts(BEST)["test_average"] >= kept.facts(LAST)["test_average"] == average
    for unknown in (None, "nobody"):
        with pytest.raises(ValueError, match="--client must be one of"):
            kept.load(BEST, task.build_model(0), unknown)

    few = _resolved("trained_alone", **_ALONE, clients_per_evaluation=3)
    some = pd.read_csv(_train(few, tmp_path / "some").clients)
    evaluated = some["test_accuracy"].notna()
    assert evaluated.sum() == 3
    pd.testing.assert_frame_equal(some[evaluated], clients[evaluated], check_exact=True)


def test_alone_a_finished_run_can_be_lengthened(alone, tmp_path):
    """4 rounds of 3 turns; then 2 rounds of 2 are a turn for each of 6 clients, rounded up."""
    longer = _resolved("trained_alone", **{**_ALONE, "rounds": 6})
    shutil.copytree(alone.directory.path, tmp_path / "run")
    lengthened = train(tmp_path / "run", longer, resume=True)
    at_once = _train(longer.with_settings(lengthened_at="4"), tmp_path / "at_once")
    assert _bytes(lengthened.directory) == _bytes(at_once)
    assert [len(lengthened.select_cohort(number)) for number in range(1, 7)] == [3] * 6
    again = training.prepare(longer, tmp_path / "run", resume=True)
    assert again.execute(show_progress=False) == lengthened.directory.read_result()
    with pytest.raises(RunDirectoryError, match="rounds: 6 there, 4 here"):
        training.prepare(alone.run, tmp_path / "run", resume=True)
    as_held = lengthened.directory.read_run()  # As `--configuration` reads it.
    longest = training.prepare(as_held.with_settings(rounds=8), tmp_path / "run", resume=True)
    assert longest.run.configuration.lengthened_at == "4,6"
