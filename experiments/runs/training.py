"""One run: from a configuration to the files of its directory."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import tensorflow_federated as tff

from experiments.runs import dropped_clients, release
from experiments.runs.client_sampling import Cohorts
from experiments.runs.configure import ResolvedRun
from experiments.runs.files import write_atomically
from experiments.runs.kept_models import BEST, LAST, KeptModels
from experiments.runs.learning_process import build_process, bytes_per_client
from experiments.runs.record import last_round
from experiments.runs.run_directory import RunDirectory
from experiments.runs.task_evaluation import (
    RunEvaluation,
    TaskEvaluation,
    choose_evaluated_clients,
    per_client_columns,
)
from experiments.runs.training_rounds import TargetReachedError, TrainingRounds
from experiments.runs.wrong_labels import wrong_labels_are_named
from leaf_data import extensions, registry
from leaf_data.client_data import num_examples_per_client
from leaf_data.fingerprint import fingerprint
from leaf_data.statistics import label_entropy_per_client
from leaf_data.tasks import Task, as_task
from leaf_data.validation import with_validation_part
from tff_weights import runtime

_CHECKPOINTS_KEPT = 2


@dataclasses.dataclass(frozen=True)
class PreparedRun:
    """A run whose configuration fits its data, and which has taken its directory.

    Attributes:
        select_cohort: From a round's number and the process' state before it to its clients' data.
        evaluated_clients: The ids of the clients on which the model is evaluated.
        recovery: What was damaged in the directory and where the run continues; None if nothing
            was.
    """

    run: ResolvedRun
    directory: RunDirectory
    task: Task
    process: tff.learning.templates.LearningProcess
    select_cohort: Callable[..., list[Any]]
    evaluated_clients: list[str]
    recovery: str | None = None

    def execute(
        self,
        *,
        rounds_per_checkpoint: int = 10,
        seconds_between_checkpoints: float = 0.0,
        show_progress: bool = True,
        for_tensorboard: bool = True,
    ) -> dict[str, Any]:
        """Trains, evaluates and writes the run; a finished one is only read.

        An interrupted run continues from its last checkpoint. Apart from clock times, it ends with
        the same files as one that never stopped.

        Args:
            rounds_per_checkpoint: The rounds from one checkpoint to the next; changes no number.
            seconds_between_checkpoints: The least time between two checkpoints.
            show_progress: Whether a bar is shown.
            for_tensorboard: Whether the metrics are written for TensorBoard, too.

        Returns:
            What `result.json` holds: the last evaluation's metrics and the `dropped_clients.facts`.

        Raises:
            WrongLabelError: If a label is no class of the model and its loss raises an error for
                it.
        """
        configuration, directory = self.run.configuration, self.directory
        try:
            if (finished := directory.read_result()) is not None:
                return finished
            checkpoints = release.PruningStateManager(
                directory, num_kept=_CHECKPOINTS_KEPT, seconds_between=seconds_between_checkpoints
            )
            bar = release.ProgressBar(
                description=f"{configuration.algorithm} on {configuration.dataset}",
                rounds=configuration.rounds,
                disable=not show_progress,
            )
            with wrong_labels_are_named(self.task.dataset), contextlib.closing(bar):
                managers = [*self._metrics_managers(for_tensorboard), bar]
                return self._train_and_finish(managers, checkpoints, rounds_per_checkpoint)
        finally:
            directory.release()

    def _train_and_finish(
        self,
        managers: Sequence[tff.program.ReleaseManager[Any, int]],
        checkpoints: tff.program.ProgramStateManager,
        rounds_per_checkpoint: int,
    ) -> dict[str, Any]:
        configuration, directory = self.run.configuration, self.directory
        of_run: RunEvaluation = self.run.algorithm.part("evaluation")(self)
        evaluate, kept = _without_repetition(of_run.evaluate), KeptModels(directory.models)

        def evaluation_metrics(state: Any, round_number: int) -> Mapping[str, float]:
            metrics = evaluate(state).metrics(data=configuration.evaluated_data)
            if kept.is_better(metrics):
                models = of_run.models(state)
                kept.keep(BEST, models, round_number=round_number, metrics=metrics)
            return metrics

        try:  # This thread may lack the event loop that TFF's training loop asks for.
            asyncio.get_event_loop_policy().get_event_loop()
        except RuntimeError:
            asyncio.set_event_loop(asyncio.new_event_loop())
        try:
            state = tff.simulation.run_training_process(
                training_process=TrainingRounds(
                    self.process, self.select_cohort, configuration, directory.metrics
                ),
                training_selection_fn=lambda round_number: round_number,
                total_rounds=configuration.rounds,
                evaluation_fn=evaluation_metrics,
                evaluation_selection_fn=lambda round_number: round_number,
                rounds_per_evaluation=configuration.rounds_per_evaluation,
                program_state_manager=checkpoints,
                rounds_per_saving_program_state=rounds_per_checkpoint,
                metrics_managers=managers,
            )
        except TargetReachedError as end:
            (state,) = end.args
        evaluation, rounds = evaluate(state), pd.read_csv(directory.metrics)
        _write_clients(directory, self.task, evaluation)
        result = {**evaluation.metrics(), **dropped_clients.facts(rounds)}
        kept.keep(LAST, of_run.models(state), round_number=last_round(rounds), metrics=result)
        directory.finish(result)
        return result

    def _metrics_managers(
        self, for_tensorboard: bool
    ) -> Iterator[tff.program.ReleaseManager[Any, int]]:
        """Yields the release managers of each round's metrics."""
        of_clients = bytes_per_client(self.run, self.process)
        numbers = release.chosen(times=False, more=lambda: of_clients)
        times = release.chosen(times=True, more=_traffic_meter())
        directory = self.directory
        yield release.ChangedReleaseManager(release.RoundsTable(directory.metrics), numbers)
        yield release.ChangedReleaseManager(release.RoundsTable(directory.timings), times)
        if for_tensorboard:
            release.write_cards(directory.tensorboard, self.run.configuration)
            summaries = release.ChangedReleaseManager(
                release.Summaries(directory.tensorboard),
                release.with_client_weights(self.task.dataset.client_ids),
            )
            yield release.ChangedReleaseManager(summaries, numbers)


def _without_repetition(
    evaluate: Callable[[Any], TaskEvaluation],
) -> Callable[[Any], TaskEvaluation]:
    """Returns the evaluation of a state, which does not evaluate the same state twice."""
    latest: tuple[Any, TaskEvaluation] | None = None

    def evaluate_once(state: Any) -> TaskEvaluation:
        nonlocal latest
        if latest is None or latest[0] is not state:
            latest = state, evaluate(state)
        return latest[1]

    return evaluate_once


def prepare(
    run: ResolvedRun,
    output_dir: str | os.PathLike[str],
    *,
    resume: bool = False,
    data_dir: str | None = None,
    prepared_dir: str | None = None,
    lock_timeout_seconds: float = 0.0,
) -> PreparedRun:
    """Loads the data, builds the algorithm, and then takes the directory for the run.

    `resume` and `lock_timeout_seconds` are as for `RunDirectory.claim`, the other folders as for
    `registry.load`.

    Raises:
        RunDirectoryError: If the directory cannot take this run.
        ValueError: If the configuration does not fit the algorithm or the data set, its sources
            have changed, or the data set cannot be read. Nothing is written then.
    """
    directory = RunDirectory(output_dir)
    run = directory.lengthening(run)
    task = load_data(run, data_dir=data_dir, prepared_dir=prepared_dir)
    cohorts, process = build_run(run, task, directory)
    select_cohort = run.algorithm.part("data").of_rounds(task, cohorts)
    evaluated_clients = choose_evaluated_clients(
        task.dataset,
        num_clients=run.configuration.clients_per_evaluation,
        seed=run.configuration.seeds.sampling,
    )
    recovery = directory.claim(
        run,
        resume=resume,
        data_origin=task.dataset.origin,
        data_fingerprint=fingerprint(task.dataset.train, task.dataset.test),
        lock_timeout_seconds=lock_timeout_seconds,
    )
    return PreparedRun(run, directory, task, process, select_cohort, evaluated_clients, recovery)


def load_data(run: ResolvedRun, *, data_dir: str | None, prepared_dir: str | None) -> Task:
    """Loads the data set of a run, with its model.

    Raises:
        ValueError: If the run's sources have changed, the data set cannot be read, or the model
            does not fit it.
    """
    configuration = run.configuration
    extensions.check_unchanged(configuration.sources)
    dataset = registry.load(
        run.data_set,
        seed=configuration.seeds.data,
        data_dir=data_dir,
        leaf_dir=configuration.leaf_dir,
        options=configuration.dataset_options,
        prepared_dir=prepared_dir,
    )
    if configuration.validation_fraction is not None:
        dataset = with_validation_part(
            dataset, fraction=configuration.validation_fraction, seed=configuration.seeds.data
        )
    return as_task(dataset, run.model)


def build_run(
    run: ResolvedRun, task: Task, directory: RunDirectory
) -> tuple[Cohorts, tff.learning.templates.LearningProcess]:
    """Returns the function from a round to the indices of its clients, and the algorithm.

    Raises:
        ValueError: If the cohort is larger than the data set, a hyperparameter of the algorithm is
            out of range, or there is a target accuracy for labels that are numbers.
    """
    if task.metrics and run.configuration.target_accuracy is not None:
        raise ValueError("target_accuracy must not be given for labels that are numbers")
    cohorts = run.algorithm.part("cohorts")(run, task)
    attack_round = run.configuration.attack_round
    process = build_process(
        run,
        task,
        store_dir=directory.variates,
        attacker_index=None if attack_round is None else cohorts(attack_round)[0],
    )
    return cohorts, process


def _traffic_meter() -> Callable[[], dict[str, float]]:
    """Returns what measures a cluster's traffic since its last call; nothing without one."""
    latest = runtime.traffic()

    def measure() -> dict[str, float]:
        nonlocal latest
        if latest is None:
            return {}
        before, latest = latest, runtime.traffic() or latest
        moved = dataclasses.asdict(latest - before)
        return {f"cluster/{name}": value for name, value in moved.items()}

    return measure


def _write_clients(directory: RunDirectory, task: Task, evaluation: TaskEvaluation) -> None:
    """Writes a row with measurements for every client of the data set."""
    dataset = task.dataset
    measured = {
        f"{split}_{name}": pd.Series(values, list(evaluation.client_ids))
        for split, of_split in (("train", evaluation.train), ("test", evaluation.test))
        for name, values in per_client_columns(of_split).items()
    }
    clients = {
        "client_index": range(dataset.num_clients),
        "num_train": num_examples_per_client(dataset.train),
        "num_test": num_examples_per_client(dataset.test),
        "label_entropy": label_entropy_per_client(dataset),
    }
    table = pd.DataFrame(clients, pd.Index(dataset.client_ids, name="client_id")).assign(**measured)
    write_atomically(directory.clients, table.round(6).to_csv(lineterminator="\n"))
