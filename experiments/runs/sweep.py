"""Many runs: those that are finished are read, the others trained, in processes of their own."""

from __future__ import annotations

import dataclasses
import hashlib
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import tqdm

from experiments.papers import catalogue
from experiments.runs import step_budget, training
from experiments.runs.configuration import RunConfiguration
from experiments.runs.run_directory import RunDirectory
from tff_weights import runtime
from tff_weights.runtime import ProgramOptions, RuntimeOptions
from tff_weights.runtime.cluster.ray_session import RaySession

# A new process now and then, since a program keeps about 5 MB of every process it builds; and not
# too often, since it takes 10 s to start.
_RUNS_PER_PROCESS = 50

_SECONDS_BETWEEN_CHECKPOINTS = 10.0


@dataclasses.dataclass(frozen=True)
class SweepOptions:
    """Where and how the runs of a sweep are executed.

    Attributes:
        runs_dir: The folder of all runs' directories.
        data_dir: Where the data sets lie.
        prepared_dir: Where they are kept in TFF's SQLite form, if they are.
        workers: How many runs are trained at once on this machine; 1 stays in this process.
        ray_address: A Ray cluster to train on instead; `runs_dir` must be shared with it.
        runtime: Where each run computes; changes no number.
        for_tensorboard: Whether every run is written for TensorBoard, too.
        papers: Modules of papers, which a process that trains adds to its catalogue.
    """

    runs_dir: pathlib.Path
    data_dir: str | None = None
    prepared_dir: str | None = None
    workers: int = 1
    ray_address: str | None = None
    runtime: RuntimeOptions = ProgramOptions()
    for_tensorboard: bool = False
    papers: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one run: its result, or why there is none."""

    configuration: RunConfiguration
    directory: RunDirectory
    result: dict[str, Any] | None = None
    error: str | None = None


def run_directory(runs_dir: pathlib.Path, configuration: RunConfiguration) -> RunDirectory:
    """Returns the directory that a configuration, and no other, has in a sweep."""
    return RunDirectory(runs_dir / run_name(configuration))


def run_name(configuration: RunConfiguration) -> str:
    """Returns the name that a configuration, and no other, has: `data set/algorithm-digest`."""
    digest = hashlib.sha256(configuration.to_json().encode()).hexdigest()[:12]
    return f"{configuration.dataset}/{configuration.algorithm}-{digest}"


def sweep(configurations: Sequence[RunConfiguration], options: SweepOptions) -> list[Outcome]:
    """Trains every run that is not finished yet.

    An interrupted run goes on from its last checkpoint. A run that fails leaves the others alone.

    Args:
        configurations: The runs; equal ones are trained once.
        options: Where and how.

    Returns:
        One outcome per configuration, in their order.
    """
    unique = list(dict.fromkeys(configuration.to_json() for configuration in configurations))
    by_text = {text: RunConfiguration.from_json(text) for text in unique}
    finished, missing = {}, []
    for text, configuration in by_text.items():
        directory = run_directory(options.runs_dir, configuration)
        # One that is damaged is made again.
        if directory.is_finished():
            finished[text] = Outcome(configuration, directory, directory.read_result())
        else:
            missing.append(configuration)
    in_parallel = options.workers > 1 or options.ray_address is not None
    execute = _in_ray if in_parallel else _in_this_process
    with tqdm.tqdm(
        total=len(unique), initial=len(finished), unit="run", desc="runs", dynamic_ncols=True
    ) as bar:
        for outcome in execute(missing, options) if missing else ():
            finished[outcome.configuration.to_json()] = outcome
            bar.set_postfix_str(_describe(outcome))
            bar.update()
    return [finished[configuration.to_json()] for configuration in configurations]


def sweep_in_order(
    configurations: Sequence[RunConfiguration],
    options: SweepOptions,
    *,
    step_budgets_of: Sequence[RunConfiguration | None],
) -> list[Outcome]:
    """Trains every run that is not finished yet, and after others those that take their steps.

    Args:
        configurations: As `sweep` takes them.
        options: Where and how.
        step_budgets_of: For each of them the run as many steps of which it takes, or
            None. That run need not be among `configurations`.

    Returns:
        One outcome per configuration, in their order; its configuration is the one that was run.
    """
    first = [
        configuration if budget is None else budget
        for configuration, budget in zip(configurations, step_budgets_of)
    ]
    outcomes = sweep(first, options)
    followers: dict[int, RunConfiguration] = {}
    for place, budget in enumerate(step_budgets_of):
        if budget is None:
            continue
        leader, configuration = outcomes[place], configurations[place]
        try:
            if leader.error is not None:
                raise ValueError(f"the run whose step budget it takes failed: {leader.error}")
            followers[place] = step_budget.read_step_budget(leader.directory.path).apply(
                configuration
            )
        except ValueError as error:
            outcomes[place] = Outcome(
                configuration, run_directory(options.runs_dir, configuration), error=str(error)
            )
    if followers:
        for place, outcome in zip(followers, sweep(list(followers.values()), options)):
            outcomes[place] = outcome
    return outcomes


def _describe(outcome: Outcome) -> str:
    configuration = outcome.configuration
    end = "failed" if outcome.result is None else f"{outcome.result['test_average']:.1f} %"
    return f"{configuration.algorithm} on {configuration.dataset}: {end}"


def _run(configuration: RunConfiguration, options: SweepOptions) -> Outcome:
    directory = run_directory(options.runs_dir, configuration)
    try:
        catalogue.add(options.papers)
        # A runtime of its own: what it has compiled is gone with it, and a worker that dies takes
        # no other run along.
        with runtime.using(options.runtime):
            prepared = training.prepare(
                configuration,
                directory.path,
                resume=True,
                data_dir=options.data_dir,
                prepared_dir=options.prepared_dir,
            )
            result = prepared.execute(
                # A checkpoint takes as long as several rounds of a small model.
                rounds_per_checkpoint=1,
                seconds_between_checkpoints=_SECONDS_BETWEEN_CHECKPOINTS,
                show_progress=False,
                for_tensorboard=options.for_tensorboard,
            )
            return Outcome(configuration, directory, result)
    except Exception as error:  # One run's fault is reported, it must not end the sweep.
        return Outcome(configuration, directory, error=f"{type(error).__name__}: {error}")


def _in_this_process(
    configurations: Sequence[RunConfiguration], options: SweepOptions
) -> Iterator[Outcome]:
    for configuration in configurations:
        yield _run(configuration, options)


def _in_ray(configurations: Sequence[RunConfiguration], options: SweepOptions) -> Iterator[Outcome]:
    with RaySession(address=options.ray_address, num_cpus=options.workers):
        import ray

        @ray.remote(num_cpus=1, max_calls=_RUNS_PER_PROCESS)
        def run_remotely(configuration: RunConfiguration) -> Outcome:
            return _run(configuration, options)

        pending = {
            run_remotely.remote(configuration): configuration for configuration in configurations
        }
        while pending:
            (done,), _ = ray.wait(list(pending), num_returns=1)
            configuration = pending.pop(done)
            try:
                yield ray.get(done)
            except ray.exceptions.RayError as error:  # The process died, for want of memory, say.
                yield Outcome(
                    configuration,
                    run_directory(options.runs_dir, configuration),
                    error=f"{type(error).__name__}: {error}",
                )
