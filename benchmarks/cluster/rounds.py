"""Measures rounds in the program, over one actor and over two, by turns."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import psutil
import tensorflow_federated as tff

from benchmarks import contenders, tasks
from benchmarks.cluster.cost import Observation, Round
from benchmarks.contenders import Contender, Setting
from benchmarks.workload import Workload
from leaf_data.tasks import Task
from tff_weights import runtime
from tff_weights.runtime.cluster.ray_session import RaySession

ACTORS = (1, 2)
_ACTOR = "ray::ClientHost"  # What actors are called.


class Case(NamedTuple):
    """A round that is measured.

    Attributes:
        title: One line.
        workload: Its size.
        build_task: From the workload to the clients and the model.
        fitted: Whether the model of the costs is fitted to it; otherwise it is compared with it.
    """

    title: str
    workload: Workload
    build_task: Callable[[Workload], Task]
    fitted: bool = False


def _perceptron(num_parameters: int) -> Callable[[Workload], Task]:
    return functools.partial(tasks.sized_perceptron, num_parameters=num_parameters)


_CNN = Workload(clients=8, examples=100, epochs=1, batch_size=10)
_ONE_STEP = Workload(clients=4, examples=10, epochs=1, batch_size=10)

CASES = {
    **{
        f"moving/{size}": Case("perceptron, one step", _ONE_STEP, _perceptron(size), fitted=True)
        for size in (1_000, 1_000_000, 5_000_000)
    },
    "computing": Case(
        "logistic regression, many steps",
        Workload(clients=8, examples=600, epochs=800, batch_size=10),
        tasks.logistic_regression,
    ),
    "cnn": Case("FedAdp's CNN", _CNN, tasks.convolutional_network),
    "cnn/3 clients": Case("FedAdp's CNN", _CNN.resized(clients=3), tasks.convolutional_network),
    "large": Case("perceptron, one step", _ONE_STEP.resized(clients=8), _perceptron(10_000_000)),
}


class Times(NamedTuple):
    """The rounds in one place, without the first.

    Attributes:
        seconds: Of each round.
        processor: Processor seconds of each round, of all processes that take part.
        longest: Those of the program and of the busiest actor: what a round would take if nothing
            else ran on the machine, and nobody waited for anything but these.
        bytes_sent: From the program to the actors, in the last round.
        bytes_received: From the actors to the program, in the last round.
    """

    seconds: list[float]
    processor: list[float]
    longest: list[float]
    bytes_sent: int
    bytes_received: int


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What was measured of one case.

    Attributes:
        name: The case's name.
        parameters: Of its model.
        round: What the cost model is told of it: computing is what the round took in the program.
        program: The rounds in the program.
        actors: The rounds over actors, by their number.
    """

    name: str
    parameters: int
    round: Round
    program: Times
    actors: dict[int, Times]

    def observations(self) -> Iterator[Observation]:
        """Yields the fastest round over each number of actors: what else runs only adds time."""
        for number, times in self.actors.items():
            yield Observation(self.round, number, min(times.seconds))

    def speed_ups(self, number: int, other: int) -> list[float]:
        """Returns how many times as fast more actors were; 0 stands for the program.

        Args:
            number: Of actors.
            other: Of actors, with which they are compared in neighbouring rounds.
        """
        slower = (self.actors[other] if other else self.program).seconds
        return [two / one for one, two in zip(self.actors[number].seconds, slower)]


@contextlib.contextmanager
def places() -> Iterator[dict[int, tff.framework.SyncContext]]:
    """Yields the contexts by their numbers of actors, 0 in the program; they end with the `with`.

    All are there at once, so that their rounds can go by turns: Ray believes to have a processor
    for each actor, but those of one context compute at a time.
    """
    # Ray's processes would wait for all others on the machine, and the program not.
    os.environ.setdefault("RAY_worker_niceness", "0")
    with contextlib.ExitStack() as stack:
        stack.enter_context(RaySession(address=None, num_cpus=sum(ACTORS)))
        contexts = {}
        for number in (0, *ACTORS):
            options = runtime.ClusterOptions(workers=number) if number else None
            stack.enter_context(runtime.using(options))
            contexts[number] = tff.framework.get_context_stack().current
        yield contexts


def measure(
    name: str, case: Case, contexts: dict[int, tff.framework.SyncContext], *, repeats: int
) -> Measurement:
    """Runs a round in each place, which is not timed, and then `repeats` by turns.

    Args:
        name: What the case is called.
        case: What is measured.
        contexts: Those of `places`.
        repeats: At least 1.
    """
    with tempfile.TemporaryDirectory() as directory:
        setting = Setting(case.build_task(case.workload), case.workload, pathlib.Path(directory))
        timers = {number: _Timer(setting, context) for number, context in contexts.items()}
        for repeat in range(-1, repeats):
            for timer in list(timers.values())[:: -1 if repeat % 2 else 1]:
                timer.run_round()
        weights = setting.task.build_model(0).initial_weights[0]
    times = {number: timer.times() for number, timer in timers.items()}
    program = times.pop(0)
    return Measurement(
        name,
        sum(map(np.size, weights)),
        Round(
            case.workload.clients,
            sum(np.asarray(each).nbytes for each in weights),
            min(program.processor),
        ),
        program,
        times,
    )


class _Timer:
    """Runs rounds in one place, and keeps what they took."""

    def __init__(self, setting: Setting, context: tff.framework.SyncContext):
        tff.framework.set_default_context(context)
        self._context = context
        self._contender: Contender = contenders.fed_avg(setting)
        self._seconds: list[float] = []
        self._processor: list[float] = []
        self._longest: list[float] = []
        self._moved = runtime.Traffic()

    def run_round(self) -> None:
        tff.framework.set_default_context(self._context)
        before, of_ray = runtime.traffic(), _of_ray()
        processor, start = time.process_time(), time.perf_counter()
        self._contender.run_round()
        self._seconds.append(time.perf_counter() - start)
        here, actors = time.process_time() - processor, [0.0]
        after, rays = runtime.traffic(), 0.0
        if before is not None and after is not None:  # Else Ray does not take part.
            self._moved = after - before
            for process, (name, seconds) in _of_ray().items():
                _, earlier = of_ray.get(process, (name, 0.0))
                rays += seconds - earlier
                if name.startswith(_ACTOR):
                    actors.append(seconds - earlier)
        self._processor.append(here + rays)
        self._longest.append(here + max(actors))

    def times(self) -> Times:
        moved = self._moved
        rounds = self._seconds[1:], self._processor[1:], self._longest[1:]
        return Times(*rounds, moved.bytes_sent, moved.bytes_received)


def _of_ray() -> dict[int, tuple[str, float]]:
    """Returns names and processor seconds of Ray's processes, by their numbers."""
    found = {}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # It may just have ended.
            times = process.cpu_times()
            found[process.pid] = process.name(), times.user + times.system
    return found
