"""Which model of a run is evaluated: the global one, fine-tuned on each client, or its own."""

from __future__ import annotations

import pandas as pd
import pytest
from made_runs import small_run, train

import tff_weights
from experiments.declaration import Algorithm, FineTunedModel, Paper
from experiments.declaration.algorithm import OWN_MODELS
from experiments.papers import catalogue
from experiments.runs.kept_models import LAST, KeptModels

pytestmark = pytest.mark.usefixtures("built_once")

_GIVEN = {"num_clients": 6, "rounds": 3, "clients_per_round": 3, "steps": 20, "batch_size": 10}


def _train(algorithm, path, **given):
    return train(path, small_run(algorithm, **{**_GIVEN, **given})).directory


def test_a_fine_tuned_model_is_chosen_as_a_part(tmp_path, monkeypatch):
    """After no steps it is the global model; after 50 all clients fit their examples better.

    It changes nothing of the training: the run keeps the same global model.
    """
    algorithms = {
        f"tuned_{steps}": Algorithm(tff_weights.build_fed_avg, evaluation=FineTunedModel(steps))
        for steps in (0, 50)
    }
    monkeypatch.setitem(catalogue.papers(), "tuned", Paper("tuned", "Tuned", "", algorithms))
    runs = {name: _train(name, tmp_path / name) for name in ("fed_avg", *algorithms)}
    clients = {name: pd.read_csv(run.clients) for name, run in runs.items()}
    pd.testing.assert_frame_equal(clients["tuned_0"], clients["fed_avg"], atol=1e-6)
    fits = clients["tuned_50"]["train_accuracy"].mean()
    assert fits > clients["fed_avg"]["train_accuracy"].mean() + 0.05
    kept = {name: KeptModels(run.models).facts(LAST)["sha256"] for name, run in runs.items()}
    assert len(set(kept.values())) == 1


def test_who_has_no_model_of_its_own_yet_is_evaluated_with_each_rounds_global_one(tmp_path):
    """Ditto's evaluation after three rounds is that of a run that is evaluated only then."""
    assert catalogue.algorithm("ditto").evaluation == OWN_MODELS
    often = _train("ditto", tmp_path / "often")
    once = _train("ditto", tmp_path / "once", rounds_per_evaluation=3)
    assert often.clients.read_bytes() == once.clients.read_bytes()
    assert often.read_result() == once.read_result()
