"""Tests of `experiments.reporting.client_quantities` on tables as a run writes them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from records import CONFIGURATION

from experiments.reporting.client_quantities import client_quantity
from experiments.runs.record import RunRecord

_REPORTS = "aggregator/cohort/reports/"


def _record(cohorts=(), clients=None, **columns):
    """A run of these cohorts after a row of round 0, its columns as `{name: lists}`."""
    table = {
        "round": range(len(cohorts) + 1),
        _REPORTS + "client_index": [None, *(json.dumps(list(cohort)) for cohort in cohorts)],
        **{
            name.replace("__", "/"): [None, *(json.dumps(list(row)) for row in rows)]
            for name, rows in columns.items()
        },
    }
    return RunRecord(
        CONFIGURATION,
        {},
        rounds=pd.DataFrame(table),
        seconds=None,
        clients=pd.DataFrame(clients or {"client_id": []}),
    )


def test_means_are_over_the_rounds_a_client_took_part_in():
    """Client 0: (1 + 3) / 2 = 2; client 2: 5, of its one round; client 4: (2 + 0) / 2 = 1;
    clients 1 and 3 never took part. Orders within a round differ."""
    record = _record(
        [(4, 0), (0, 2, 4)], **{_REPORTS + "projection_on_mean": [(2.0, 1.0), (3.0, 5.0, 0.0)]}
    )
    found = client_quantity(record, "mean_projection")
    assert found.to_dict() == {0: 2.0, 2: 5.0, 4: 1.0}
    assert (found.name, found.index.name) == ("mean_projection", "client_index")


def test_projections_over_the_mean_one_of_their_round_by_hand():
    """The rounds' means are 2 and 0.2, and nothing moves in the third. Client 0: (1/2 + 1.5) / 2 =
    1, client 1: 3/2, client 2: (0.5 + 0) / 2. By the raw means client 1, who was there early, is
    far ahead of client 2."""
    record = _record(
        [(0, 1), (2, 0), (2,)],
        **{_REPORTS + "projection_on_mean": [(1.0, 3.0), (0.1, 0.3), (0.0,)]},
    )
    found = client_quantity(record, "mean_relative_projection")
    assert found.to_dict() == pytest.approx({0: 1.0, 1: 1.5, 2: 0.25})


def test_the_table_of_clients_is_read_by_row():
    """Shares become percent; a client that was not evaluated has no accuracy."""
    record = _record(
        clients={
            "client_id": ["a", "b", "c"],
            "label_entropy": [0.0, 0.5, 2.0],
            "test_accuracy": [0.25, np.nan, 1.0],
        }
    )
    assert client_quantity(record, "label_entropy").to_dict() == {0: 0.0, 1: 0.5, 2: 2.0}
    assert client_quantity(record, "test_accuracy").to_dict() == {0: 25.0, 2: 100.0}


def test_what_there_is_not_is_named():
    with pytest.raises(ValueError, match="name must be one of .*, got 'colour'"):
        client_quantity(_record(), "colour")
    assert client_quantity(_record([(0, 1)]), "mean_angle").empty
