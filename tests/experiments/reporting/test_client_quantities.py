"""Tests of `experiments.reporting.client_quantities` on tables as a run writes them."""

from __future__ import annotations

import numpy as np
import pytest
from records import record

from experiments.reporting.client_quantities import client_quantity

_REPORTS = "aggregator/cohort/reports/"


def _record(cohorts, **columns):
    """A run of these cohorts after a row of round 0, its reports as `{name: lists}`."""
    reports = {"client_index": cohorts, **columns}
    return record(columns={_REPORTS + name: [None, *rows] for name, rows in reports.items()})


def test_means_are_over_the_rounds_a_client_took_part_in():
    """Client 0: (1 + 3) / 2 = 2; client 2: 5, of its one round; client 4: (2 + 0) / 2 = 1;
    clients 1 and 3 never took part. Orders within a round differ."""
    made = _record([[4, 0], [0, 2, 4]], projection_on_mean=[[2.0, 1.0], [3.0, 5.0, 0.0]])
    found = client_quantity(made, "mean_projection")
    assert found.to_dict() == {0: 2.0, 2: 5.0, 4: 1.0}
    assert (found.name, found.index.name) == ("mean_projection", "client_index")


def test_projections_over_the_mean_one_of_their_round_by_hand():
    """The rounds' means are 2 and 0.2, and nothing moves in the third. Client 0: (1/2 + 1.5) / 2 =
    1, client 1: 3/2, client 2: (0.5 + 0) / 2. By the raw means client 1, who was there early, is
    far ahead of client 2."""
    made = _record([[0, 1], [2, 0], [2]], projection_on_mean=[[1.0, 3.0], [0.1, 0.3], [0.0]])
    found = client_quantity(made, "mean_relative_projection")
    assert found.to_dict() == pytest.approx({0: 1.0, 1: 1.5, 2: 0.25})


def test_the_table_of_clients_is_read_by_row():
    """Shares become percent; a client that was not evaluated has no accuracy."""
    made = record(
        clients={
            "client_id": ["a", "b", "c"],
            "label_entropy": [0.0, 0.5, 2.0],
            "test_accuracy": [0.25, np.nan, 1.0],
        }
    )
    assert client_quantity(made, "label_entropy").to_dict() == {0: 0.0, 1: 0.5, 2: 2.0}
    assert client_quantity(made, "test_accuracy").to_dict() == {0: 25.0, 2: 100.0}


def test_what_there_is_not_is_named():
    with pytest.raises(ValueError, match="name must be one of .*, got 'colour'"):
        client_quantity(record(), "colour")
    assert client_quantity(_record([[0, 1]]), "mean_angle").empty
