from __future__ import annotations

import pandas as pd
import pytest

from experiments.runs import dropped_clients
from experiments.runs.configure import configure

_GIVEN = {"rounds": 3, "learning_rate": 0.5, "epochs": 1}
_RUN = configure("q_fed_avg", "synthetic_1_1", _GIVEN).configuration


def _rounds(*rows):
    """A table with the row before training, and of each round the counts that are not 0."""
    table = pd.DataFrame([{}, *rows]).add_prefix("aggregator/cohort/")
    return table.assign(round=range(len(table)))


_WELL = {"num_participants": 10}


def test_of_a_run_as_it_should_be_there_is_nothing_to_say():
    assert dropped_clients.facts(_rounds(_WELL, _WELL, _WELL)) == {}
    assert dropped_clients.sentences(_RUN, {}) == []
    assert dropped_clients.facts(pd.DataFrame({"round": [0, 1, 2]})) == {}


@pytest.mark.parametrize(
    ("row", "reason", "named"),
    [
        ({"left_out/update_not_finite": 9, "adds_nothing": 1}, "update_not_finite", "logistic"),
        ({"left_out/unknown_client": 9, "adds_nothing": 1}, "unknown_client", "q_fed_avg"),
        (
            {"num_participants": 9, "weights_not_finite": 9, "adds_nothing": 1},
            "weights_not_finite",
            "q_fed_avg",
        ),
        ({"num_participants": 9, "adds_nothing": 1}, "adds_nothing", "nothing"),
    ],
)
def test_a_round_without_change_has_a_reason_that_names_whose_it_is(row, reason, named):
    """In the second of three rounds nothing changed, and nine clients were left out or weighed."""
    found = dropped_clients.facts(_rounds(_WELL, row, _WELL))
    assert found["rounds_without_change"] == found[f"rounds_without_change/{reason}"] == 1
    assert found.get("clients_left_out", 0) == (9 if f"left_out/{reason}" in row else 0)
    (said, *_) = dropped_clients.sentences(_RUN, found)
    assert said.startswith("In 1 of 3 rounds") and named in said
    assert "model_never_changed" not in found
    assert dropped_clients.facts(_rounds(row, row, row))["model_never_changed"] is True


def test_clients_that_are_left_out_of_rounds_that_went_well_are_counted():
    """2 + 1 unknown clients and 4 updates in two rounds: seven times a client was left out."""
    found = dropped_clients.facts(
        _rounds(
            {**_WELL, "left_out/unknown_client": 2, "left_out/update_not_finite": 4},
            {**_WELL, "left_out/unknown_client": 1},
            _WELL,
        )
    )
    assert found == {
        "clients_left_out": 7,
        "clients_left_out/unknown_client": 3,
        "clients_left_out/update_not_finite": 4,
    }
    (said,) = dropped_clients.sentences(_RUN, found)
    assert said.startswith("7 times") and "(3)" in said and "(4)" in said
