from __future__ import annotations

import matplotlib.image
import pytest

_OPTION = "--dataset_option=num_clients=7"


def test_a_data_set_is_its_row_of_table_1_and_an_algorithm_its_types(run_each, tmp_path):
    """There are three figures too, and options reach the data set and the model the algorithm."""
    folder = tmp_path / "new"
    ends = run_each(
        "describe",
        [
            ["--algorithm=fed_fa"],
            ["--dataset=synthetic_1_1", _OPTION],
            ["--algorithm=fed_fa", "--model=logistic_regression", _OPTION],
            ["--dataset=synthetic_1_1", f"--output_dir={folder}"],
        ],
    )
    assert [(ended.status, ended.errors) for ended in ends] == [(0, "")] * 4
    of_algorithm, of_seven, algorithm_of_seven, lines = (end.output.splitlines() for end in ends)
    assert of_seven[1].split()[:2] == ["synthetic_1_1", "7"]
    assert "      participations=int64[7]" in algorithm_of_seven
    assert lines[0].split() == ["clients", "samples", "mean", "standard", "deviation"]
    name, clients, samples, mean, deviation = lines[1].replace(",", "").split()
    assert (name, clients) == ("synthetic_1_1", "30")
    assert float(mean) == pytest.approx(int(samples) / 30, abs=0.005)
    assert float(deviation) > 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"synthetic_1_1_{figure}.png" for figure in ("labels", "samples", "sizes")]
    for name in names:
        assert matplotlib.image.imread(folder / name).std() > 0.01
    lines = of_algorithm
    assert lines[0] == "fed_fa on synthetic_1_1 with logistic_regression"
    assert lines.index("    server_momentum: 0.5 (default 0.5)") < lines.index("initialize:")
    assert "      participations=int64[30]" in lines  # FedFa's history, of all 30 clients.
    assert "  >}@CLIENTS" in lines
    assert "    learning_rate: 0.0001" in lines
    # The model has 610 float32 weights; down go the round's number and 10 weights with tokens of 12
    # bytes; up go 21 bytes of report here, and two numbers in the paper.
    place = lines.index("    here: 2,564 down, 2,461 up")
    assert lines[place + 1] == "    by its protocol: 2,440 down, 2,448 up"
