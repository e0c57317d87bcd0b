from __future__ import annotations

import matplotlib.image
import pytest


def test_a_data_set_is_its_row_of_table_1_and_three_figures(run, tmp_path):
    ended = run("describe", "--dataset=synthetic_1_1", f"--output_dir={tmp_path / 'new'}")
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    assert lines[0].split() == ["clients", "samples", "mean", "standard", "deviation"]
    name, clients, samples, mean, deviation = lines[1].replace(",", "").split()
    assert (name, clients) == ("synthetic_1_1", "30")
    assert float(mean) == pytest.approx(int(samples) / 30, abs=0.005)
    assert float(deviation) > 0
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert names == [f"synthetic_1_1_{figure}.png" for figure in ("labels", "samples", "sizes")]
    for name in names:
        assert matplotlib.image.imread(tmp_path / "new" / name).std() > 0.01


def test_an_algorithm_is_its_types_and_hyperparameters(run):
    ended = run("describe", "--algorithm=fed_fa")
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    assert lines[0] == (
        "fed_fa on synthetic_1_1 with logistic_regression: this LearningProcess is a "
        "tff.templates.IterativeProcess."
    )
    assert "initialize:" in lines and "next:" in lines
    assert "      participations=int64[30]" in lines  # FedFa's history, of all 30 clients.
    assert "  >}@CLIENTS" in lines
    assert "    server_momentum: 0.5 (default 0.5)" in lines
    assert "    learning_rate: 0.0001" in lines
    # The model has 610 float32 weights; down go the round's number and 10 weights with tokens of 12
    # bytes; up go 21 bytes of report here, and two numbers in the paper.
    assert lines[-2:] == [
        "    here: 2,564 down, 2,461 up",
        "    in the paper: 2,440 down, 2,448 up",
    ]


def test_options_reach_the_data_set_and_the_model_the_algorithm(run_each):
    option = "--dataset_option=num_clients=7"
    described, algorithm = run_each(
        "describe",
        [
            ["--dataset=synthetic_1_1", option],
            ["--algorithm=fed_fa", "--model=logistic_regression", option],
        ],
    )
    for ended in (described, algorithm):
        assert (ended.status, ended.errors) == (0, "")
    assert described.output.splitlines()[1].split()[:2] == ["synthetic_1_1", "7"]
    assert "      participations=int64[7]" in algorithm.output.splitlines()


def test_bad_input_is_one_sentence_and_status_2(run, run_each):
    cases = [
        (["--dataset=mnits"], "--dataset=mnits"),
        (["--dataset=mnist", "--dataset_option=sigma=much"], "sigma is 'much'"),
        (["--dataset=mnist", "--model=le_net"], "--model is for an algorithm"),
        (["--algorithm=fed_fa", "--model=le_net"], "must be one of logistic_regression"),
        (["--algorithm=fed_average"], "algorithm must be one of"),
        (["--papers=no.such.module", "--algorithm=fed_fa"], "'no.such.module' is no module"),
        ([], "--dataset or --algorithm is needed"),
    ]
    ends = run_each("describe", [flags for flags, _ in cases])
    for (_, sentence), ended in zip(cases, ends):
        assert ended.status == 2
        assert ended.output == ""
        assert sentence in ended.errors
        assert len(ended.errors.splitlines()) == 1
    assert run("describe", *cases[0][0]) == ends[0]  # As users start it.
