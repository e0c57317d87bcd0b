"""FedAdp's artifacts, cell by cell, typed in from the paper and not from the declarations."""

from __future__ import annotations

import pytest
from planned_runs import artifact_of, configurations_of

from experiments.papers import catalogue

# Table I: FedAvg and FedAdp by IID nodes, non-IID nodes and classes; a number with % is N/A's.
_TABLE_1 = {
    "mnist_x_class": {
        (3, 7, 1): ("94.48%", 187),
        (5, 5, 1): (133, 61),
        (6, 4, 1): (99, 58),
        (3, 7, 2): (120, 75),
        (5, 5, 2): (104, 59),
        (6, 4, 2): (81, 52),
    },
    "fashion_mnist_x_class": {
        (3, 7, 1): ("77.31%", "79.5%"),
        (5, 5, 1): (222, 125),
        (6, 4, 1): (167, 107),
        (3, 7, 2): (258, 207),
        (5, 5, 2): (196, 107),
        (6, 4, 2): (134, 94),
    },
}
_TARGETS = {"mnist_x_class": 95, "fashion_mnist_x_class": 80}


def test_table_1_is_the_papers():
    expected = {}
    for dataset, rows in _TABLE_1.items():
        for (iid, non_iid, x), cells in rows.items():
            for method, cell in zip(("FedAvg", "FedAdp"), cells):
                row = f"{method}, {iid} + {non_iid} ({x})"
                if isinstance(cell, str):
                    expected[dataset, row, "best_accuracy"] = float(cell.rstrip("%"))
                else:
                    expected[dataset, row, f"rounds_to_{_TARGETS[dataset]}"] = float(cell)
    assert artifact_of("fedadp/table1").paper_values() == expected


@pytest.mark.parametrize("name", ["table1", "fig3", "fig4"])
@pytest.mark.parametrize(("algorithm", "method"), [("fed_avg", "FedAvg"), ("fed_adp", "FedAdp")])
@pytest.mark.parametrize("mix", list(_TABLE_1["mnist_x_class"]))
def test_every_cell_is_run_as_the_paper_runs_it(name, algorithm, method, mix):
    """V-A: 10 nodes, which all take part; E = 1, T = 300 (50 in figure 3), B = 50 for MLR, 32
    for the CNN."""
    configurations = configurations_of(f"fedadp/{name}")
    for dataset in _TABLE_1:
        configuration = configurations[dataset, "{}, {} + {} ({})".format(method, *mix)]
        assert configuration.algorithm == algorithm
        options = configuration.dataset_options
        assert (options["num_iid"], options["num_non_iid"], options["x"]) == mix
        assert options["samples_per_client"] == 600
        assert (configuration.clients_per_round, configuration.epochs) == (10, 1)
        model, batch_size, rounds = (
            ("image_logistic_regression", 50, 50) if name == "fig3" else ("fed_adp_cnn", 32, 300)
        )
        assert (configuration.model, configuration.batch_size) == (model, batch_size)
        assert configuration.rounds == rounds


def test_every_cell_of_table_1_is_a_claim():
    claims = {claim.name: claim for claim in catalogue.claims()}
    for dataset, rows in _TABLE_1.items():
        images = dataset[: -len("_x_class")]
        for mix, (fed_avg, fed_adp) in rows.items():
            in_rounds = not (isinstance(fed_avg, str) and isinstance(fed_adp, str))
            kind = "faster" if in_rounds else "better"
            claim = claims["fedadp/{}_{}_{}_{}_{}".format(kind, images, *mix)]
            assert claim.datasets == (dataset,)
            assert claim.better == "FedAdp, {} + {} ({})".format(*mix)
            assert claim.worse == "FedAvg, {} + {} ({})".format(*mix)
            metric = claim.metric
            assert metric.paper_column == ("best_accuracy" if not in_rounds else None)
            expected = (_TARGETS[dataset], True) if in_rounds else (None, False)
            assert (metric.parameter, metric.smaller_is_better) == expected
