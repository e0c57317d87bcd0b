"""The committed results as data frames of pandas; the results themselves are in this folder."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from experiments.declaration import SCALES
from experiments.papers import catalogue
from experiments.reporting.finished import FinishedArtifact, read_finished
from experiments.runs import committed
from experiments.runs.record import RunRecord
from experiments.runs.run_directory import run_name
from experiments.runs.run_folders import RunFolders
from experiments.start_up import RESULTS_DIR


class Results(NamedTuple):
    """The finished runs of an artifact.

    Every frame begins with `dataset`, `method`, as the artifact's table names them, and `seed`.

    Attributes:
        runs: A row per run. `run` is its name, `algorithm`, `model`, `rounds` and so on are its
            configuration, with the data set's options as `dataset_options/NAME` and the
            hyperparameters as `hyperparameters/NAME`; the metrics of the evaluation after the last
            round, `test_average` and so on, accuracies in percent; `seconds/total`,
            `seconds/once`, and `seconds/training` and `seconds/evaluation`, medians of a round.
        rounds: A row per run and round, from 0, before training, on: `round` and the columns of
            `metrics.csv` that are kept; those of the evaluation begin with `evaluation/`. A column
            with a number per participant holds lists of float.
        clients: A row per run and client: `client_id`, `client_index`, `num_train`, `num_test`,
            `label_entropy` in nats, `train_accuracy` and `test_accuracy` after the last round as
            fractions, not a number for clients that were not evaluated.
    """

    runs: pd.DataFrame
    rounds: pd.DataFrame
    clients: pd.DataFrame


def load(
    artifact: str,
    *,
    scale: str | None = None,
    seeds: Iterable[int] | None = None,
    results_dir: str | os.PathLike[str] = RESULTS_DIR,
) -> Results:
    """Reads the committed runs of an artifact.

    Args:
        artifact: Its name, such as `fedfa/table2`.
        scale: `paper`, `short` or `smoke`; if not given, the first of these with a run.
        seeds: Which seeds; if not given, all that there are.
        results_dir: The folder of results; an installed copy has none, so that it must be the
            folder `experiments/results` of a checkout.

    Raises:
        ValueError: If there is no such artifact or scale, or no run of it.
        FileNotFoundError: If the folder has no runs.
    """
    known = catalogue.artifacts()
    if artifact not in known:
        raise ValueError(f"artifact must be one of {', '.join(known)}, got {artifact!r}")
    if scale is not None and scale not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(SCALES)}, got {scale!r}")
    folder = pathlib.Path(results_dir)
    committed.check_runs(folder)
    folders = RunFolders((), (folder,))
    wanted = folders.seeds() if seeds is None else tuple(dict.fromkeys(seeds))
    for each in reversed(SCALES) if scale is None else (scale,):
        found = read_finished(known[artifact], each, wanted, folders.find)
        if found is not None:
            return _results(found)
    raise ValueError(
        f"no run of {artifact} is committed below {folder} with scale={scale!r} and seeds={seeds!r}"
    )


def _results(artifact: FinishedArtifact) -> Results:
    keyed = [
        ({"dataset": run.dataset, "method": run.variant, "seed": run.seed}, record)
        for run, record in artifact.finished
    ]
    runs = [{**key, **_of_run(record)} for key, record in keyed]
    rounds, clients = (
        pd.concat(
            [pd.DataFrame({**key, **getattr(record, table)}) for key, record in keyed],
            ignore_index=True,
        )
        for table in ("rounds", "clients")
    )

    def parsed(cell: Any) -> Any:
        return json.loads(cell) if isinstance(cell, str) and cell.startswith("[") else cell

    rounds = rounds.apply(lambda column: column.map(parsed))
    return Results(pd.DataFrame(runs), rounds, clients)


def _of_run(record: RunRecord) -> dict[str, Any]:
    configuration = json.loads(record.resolved.configuration.to_json())
    (fields,) = pd.json_normalize(configuration, sep="/").to_dict("records")
    seconds = {} if record.seconds is None else record.seconds._asdict()
    return {
        "run": run_name(record.resolved),
        **{name: fields[name] for name in fields if name not in ("schema", "dataset")},
        **record.result,
        **{f"seconds/{name}": value for name, value in seconds.items()},
    }
