from __future__ import annotations

import matplotlib.image
import pytest

_OPTION = "--dataset_option=num_clients=7"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("describe") / "new"


@pytest.fixture(scope="module")
def ends(run_each, folder):
    """The program's ends: an algorithm, options for both, and figures."""
    return run_each(
        "describe",
        [
            ["--algorithm=fed_fa"],
            ["--dataset=synthetic_1_1", _OPTION],
            ["--algorithm=fed_fa", "--model=logistic_regression", _OPTION],
            ["--dataset=synthetic_1_1", f"--output_dir={folder}"],
        ],
    )


def test_a_data_set_is_its_row_of_table_1_and_three_figures(ends, folder):
    ended = ends[3]
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    assert lines[0].split() == ["clients", "samples", "mean", "standard", "deviation"]
    name, clients, samples, mean, deviation = lines[1].replace(",", "").split()
    assert (name, clients) == ("synthetic_1_1", "30")
    assert float(mean) == pytest.approx(int(samples) / 30, abs=0.005)
    assert float(deviation) > 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"synthetic_1_1_{figure}.png" for figure in ("labels", "samples", "sizes")]
    for name in names:
        assert matplotlib.image.imread(folder / name).std() > 0.01


def test_an_algorithm_is_its_types_and_hyperparameters(ends):
    ended = ends[0]
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    assert lines[0] == "fed_fa on synthetic_1_1 with logistic_regression"
    assert lines.index("    server_momentum: 0.5 (default 0.5)") < lines.index("initialize:")
    assert "      participations=int64[30]" in lines  # FedFa's history, of all 30 clients.
    assert "  >}@CLIENTS" in lines
    assert "    learning_rate: 0.0001" in lines
    # The model has 610 float32 weights; down go the round's number and 10 weights with tokens of 12
    # bytes; up go 21 bytes of report here, and two numbers in the paper.
    place = lines.index("    here: 2,564 down, 2,461 up")
    assert lines[place + 1] == "    by its protocol: 2,440 down, 2,448 up"


def test_options_reach_the_data_set_and_the_model_the_algorithm(ends):
    described, algorithm = ends[1:3]
    for ended in (described, algorithm):
        assert (ended.status, ended.errors) == (0, "")
    assert described.output.splitlines()[1].split()[:2] == ["synthetic_1_1", "7"]
    assert "      participations=int64[7]" in algorithm.output.splitlines()
