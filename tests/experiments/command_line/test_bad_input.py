"""What programs must not be given: each is one sentence and status 2, before anything is made."""

from __future__ import annotations

import pytest

from experiments.papers import catalogue
from experiments.runs import training
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configure import configure
from experiments.runs.options import options

# From a program's flags to what the sentence must name; {held} is a run of one round.
_BAD = {
    "train --algorithm=fed_avg": {
        "--dataset=mnits": "--dataset=mnits",
        "--algorithm=fed_average": "got 'fed_average'",
        "--learning_rate=nan": "learning_rate must be",
        "--steps=2 --step_budget_of={held}": "--steps and --step_budget_of both set the steps",
        "--lengthened_at=3": "lengthened_at is not used by fed_avg",
        "--algorithm=trained_alone --client_sampling=proportional": "client_sampling is not used",
        "--algorithm=centralized_sgd --client_sampling=proportional": "client_sampling is not used",
        "--ray_address=127.0.0.1:1": "--cohort_workers run: give both",
        "--cohort_workers=2 --ray_address=127.0.0.1:1": "nothing answers at '127.0.0.1:1'",
        "--rounds=1 --epochs=2 --resume --output_dir={held}": "epochs: 1 there, 2.0 here",
        "--output_dir=": "--output_dir=: it must be a path",
        "--output_dir=~nobody.of.this.name/x": "must be a user's name",
    },
    "describe": {
        "--dataset=leaf_femnist --dataset_option=a=1": "leaf_femnist has no options",
        "--dataset=mnist --model=le_net": "--model is for an algorithm",
        "--dataset=mnist --learning_rate=0.1": "--learning_rate is for an algorithm",
        "--dataset=mnist --hyperparameter=alpha=1": "--hyperparameter is for an algorithm",
        "--algorithm=fed_fa --model=le_net": "must be one of logistic_regression",
        "--papers=no.such.module --algorithm=fed_fa": "'no.such.module' is no module",
        "": "--dataset or --algorithm is needed",
    },
    "reproduce": {
        "--artifact=fedfa/table9": "--artifact must be one of",
        "": "--artifact is needed, or --list",
        "--list --seeds=-1": "--seeds must be different whole numbers from 0 on",
        "--list --datasets=synthetic_iid": "--list trains nothing",
        "--list --commit_results": "--list trains nothing",
        "--artifact=fedfa/table3 --results_dir={held}/typo": "no committed runs in {held}/typo",
        "--artifact=fedfa/table3 --ray_address=127.0.0.1:1": "nothing answers at",
        "--artifact=beyond/fair_field --seeds=1,0": "seed 0 chooses its settings",
        "--artifact=fedfa/table3 --ray_address=127.0.0.1:1 --workers=2": "--workers is for this",
        "--artifact=fedfa/table3 --datasets=mnist": "--datasets must be some of synthetic_iid, ",
        "--artifact=fedfa/table3 --datasets=": "--datasets must be some of synthetic_iid, ",
        "--artifact=fedfa/table3 --datasets=synthetic_iid --fresh --commit_results": (
            "--fresh, --datasets and --commit_results together"
        ),
    },
    "report": {
        "--scales=large": "--scales must be",
        "--scales=short,short": "--scales must be",
        "--markdown={held}": "--markdown must be",
        "--markdown={held}/nowhere/R.md": "--markdown must be",
        "--markdown={held}/R.md --pages={held}/result.json": "result.json",
        "--markdown={held}/R.md --results_dir={held}": "no committed runs in {held}",
        "--markdown={held}/R.md --output_dir={held}": "--output_dir must be a folder with runs",
    },
    "compare": {
        "--algorithms=": "--algorithms must name one at least, got none",
        "--algorithms=fed_avg --dataset=": "--dataset must name one at least, got none",
        "--algorithms=fed_avg --dataset=mnits": "name is 'mnits'",
        "--algorithms=fed_avg --dataset=mnist,mnist": "--dataset must name different data sets",
        "--algorithms=fed_avg,fed_fa:alpha=-1": "alpha must be",
        "--algorithms=fed_avg --clients_per_round=31": "clients to draw from, 30, got 31",
        "--algorithms=fed_avg --model=sentiment_lstm --learning_rate=1": "must be one of logistic",
    },
}


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    path = tmp_path_factory.mktemp("train") / "held"
    configuration = configure("fed_avg", "synthetic_1_1", {"rounds": 1, "epochs": 1})
    training.prepare(configuration, path).execute(show_progress=False)
    return path


def _is_refused(ended):
    return (ended.status, ended.output, len(ended.errors.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("command", _BAD)
def test_it_is_one_sentence_and_status_2(run, held, tmp_path, command):
    before = {path: path.stat().st_mtime_ns for path in held.rglob("*")}
    new = tmp_path / "new"
    for given, sentence in _BAD[command].items():
        flags = given.format(held=held).split()
        if command not in ("describe", "report"):
            flags.insert(0, f"--output_dir={new}")
        ended = run(*command.split(), *flags)
        assert _is_refused(ended) and sentence.format(held=held) in ended.errors, (given, ended)
    assert not new.exists()
    assert {path: path.stat().st_mtime_ns for path in held.rglob("*")} == before


_NO_NUMBERS = ("nan", "inf", "1e999", "x", "", "1,5", "-1")


@pytest.mark.long
def test_every_flag_of_a_run_that_is_a_number_is_checked(run, tmp_path):
    new = tmp_path / "new"
    cases = [
        ("fed_avg", name, wrong)
        for name, option in options(RunConfiguration, Seeds).items()
        if option.kind in (int, float)
        for wrong in (*_NO_NUMBERS, *(("1.5",) if option.kind is int else ()))
    ]
    for algorithm, declared in catalogue.algorithms().items():
        for argument in declared.hyperparameters.values():
            if argument.kind in (int, float):
                cases.append((algorithm, argument.name, "nan"))
    for algorithm, name, wrong in cases:
        flags = (f"--algorithm={algorithm}", f"--output_dir={new}", f"--{name}={wrong}")
        ended = run("train", *flags)
        assert _is_refused(ended), (flags, ended)
        assert name.rpartition("_")[2] in ended.errors, (flags, ended)
    assert not new.exists()
