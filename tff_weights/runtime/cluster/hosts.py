"""The actors of a cluster, as the program sees them: what it sends, awaits and counts."""

from __future__ import annotations

import collections
import contextlib
import itertools
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from typing_extensions import TypeAlias

from tff_weights.runtime.cluster.errors import ClusterError
from tff_weights.runtime.cluster.host import Answer, Apart, ClientHost
from tff_weights.runtime.cluster.options import ClusterOptions
from tff_weights.runtime.cluster.ray_session import RaySession, import_ray
from tff_weights.runtime.cluster.traffic import Traffic

# The index of a host, and Ray's reference to what it does.
Reference: TypeAlias = "tuple[int, Any]"
References: TypeAlias = "Sequence[Reference]"

# Bytes; what is smaller is sent with the other arguments, which takes less time.
_LEAST_SHARED = 64 * 1024
# The seconds after which a wait checks whether it was given up.
_LOOK_SECONDS = 0.2


class Shared(NamedTuple):
    """What several hosts are told, serialised once.

    Attributes:
        reference: Ray's.
        num_bytes: Its size, serialised.
    """

    reference: Any
    num_bytes: int


class Step(NamedTuple):
    """A method of `ClientHost` that a host shall call.

    Attributes:
        method: Its name.
        arguments: Packed, or `Shared`.
    """

    method: str
    arguments: tuple[Any, ...] = ()


class Hosts:
    """One `ClientHost` in each of some Ray actors.

    Attributes:
        number: How many.
    """

    def __init__(self, options: ClusterOptions):
        """Starts the actors, and does not wait for them.

        Args:
            options: The options.

        Raises:
            ConnectionError: If there is no cluster at the address.
            ValueError: If nothing answers there, or the cluster has too few free resources.
        """
        self.number = options.workers
        needs = {"CPU": options.program.client_threads}
        if options.program.device == "gpu":
            needs["GPU"] = 1
        self._session = RaySession(address=options.address, num_cpus=options.workers * needs["CPU"])
        ray = self._ray = import_ray()
        try:
            cluster = self._session.starts_cluster  # It may not know its free ones.
            free = ray.cluster_resources() if cluster else ray.available_resources()
            _check_resources(free, needs, options.workers)
        except ValueError:
            self._session.close()
            raise
        remote: Any = ray.remote(num_cpus=needs["CPU"], num_gpus=needs.get("GPU", 0))(ClientHost)
        self._actors = [remote.remote(options.program) for _ in range(options.workers)]
        self._nodes: list[str] = []
        self._keys = itertools.count()
        # Appended to by finalizers, at any time and on any thread.
        self._forgotten: list[collections.deque[int]] = [collections.deque() for _ in self._actors]
        self._lock = threading.Lock()
        self._traffic = Traffic()
        self._greetings = [self.tell(index, Step("greet")) for index in range(self.number)]

    @property
    def traffic(self) -> Traffic:
        """What was moved so far."""
        return self._traffic

    def new_key(self, owner: Any) -> int:
        """Returns a key under which hosts hold something, until `owner` is gone.

        They forget it at their next request.
        """
        key = next(self._keys)
        weakref.finalize(owner, _forget, self._forgotten, key).atexit = False
        return key

    def share(self, message: Any) -> Any:
        """Returns data for several hosts, serialised once; small data are returned as they are.

        Raises:
            ClusterError: If the session with the cluster is closed.
        """
        with self.moving(), self._session.calling():
            num_bytes = self._num_bytes(message)
            if num_bytes < _LEAST_SHARED:
                return message
            return Shared(self._ray.put(message), num_bytes)

    def tell(self, index: int, *steps: Step) -> Reference:
        """Has a host do something.

        Args:
            index: Which host.
            *steps: What it does, in this order.

        Returns:
            The index, and Ray's reference to the answer, for `ask`.

        Raises:
            ClusterError: If the session with the cluster is closed.
        """
        forgotten = list(_taken(self._forgotten[index]))
        apart: list[Shared] = []
        message = []
        for method, arguments in steps:
            message.append((method, list(arguments)))
            for place, argument in enumerate(arguments):
                if isinstance(argument, Shared):
                    message[-1][1][place] = Apart(len(apart))
                    apart.append(argument)
        with self.moving(), self._session.calling():
            num_bytes = self._num_bytes((forgotten, message))
            reference = self._actors[index].do.remote(
                forgotten, message, *(shared.reference for shared in apart)
            )
        num_bytes += sum(shared.num_bytes for shared in apart)
        self._count(Traffic(bytes_sent=num_bytes))
        return index, reference

    def ask(self, told: References, questions: References, check: Callable[[], None]) -> list[Any]:
        """Waits for what hosts answer.

        Args:
            told: By the host's index, the references of `tell` for everything that the answers
                need.
            questions: The references of `tell` for the steps whose last one answers.
            check: Called now and then; raises to end the waiting.

        Returns:
            The results, packed, in the order of the questions.

        Raises:
            ClusterError: If an actor has died, Ray has failed, or the session is closed.
        """
        self._wait_for_start(check)
        start = time.perf_counter()
        answers = self._wait([*told, *questions], check)[len(told) :]
        waited = time.perf_counter() - start
        slowest = max((answer.working_seconds for answer in answers), default=0.0)
        self._count(
            Traffic(
                bytes_received=sum(map(self._num_bytes, answers)),
                moving_seconds=max(0.0, waited - slowest),
            )
        )
        return [answer.result for answer in answers]

    @contextlib.contextmanager
    def moving(self) -> Iterator[None]:
        """Counts the time of a block as spent on moving."""
        start = time.perf_counter()
        yield
        self._count(Traffic(moving_seconds=time.perf_counter() - start))

    def close(self) -> None:
        """Ends the actors, and with them a cluster of this program's own."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._session.close()

    def _num_bytes(self, message: Any) -> int:
        """Returns the size of a message as Ray serialises it; large arrays are not copied."""
        arrays: list[Any] = []
        rest = self._ray.cloudpickle.dumps(message, protocol=5, buffer_callback=arrays.append)
        return len(rest) + sum(array.raw().nbytes for array in arrays)

    def _count(self, traffic: Traffic) -> None:
        with self._lock:
            self._traffic += traffic

    def _wait_for_start(self, check: Callable[[], None]) -> None:
        """Waits for imports, which take seconds and are no transfer."""
        if not self._nodes:
            self._nodes = [answer.result for answer in self._wait(self._greetings, check)]

    def _wait(self, references: References, check: Callable[[], None]) -> list[Answer]:
        answers: dict[Any, Answer] = {}
        pending = {reference: index for index, reference in references}
        while pending:
            with self._session.calling():
                done, _ = self._ray.wait(
                    list(pending), num_returns=len(pending), timeout=_LOOK_SECONDS
                )
            check()
            for reference in done:
                answers[reference] = self._get(pending.pop(reference), reference)
        return [answers[reference] for _, reference in references]

    def _get(self, index: int, reference: Any) -> Answer:
        try:
            with self._session.calling():
                return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError:  # The error that the host has raised.
            raise
        except self._ray.exceptions.RayError as error:
            node = f" ({self._nodes[index]})" if self._nodes else ""
            raise ClusterError(
                f"Actor {index + 1} of {self.number} of the Ray cluster{node} was lost, and with "
                "it the data of its clients: see that its machine runs and has memory left, and "
                "continue from the last saved state, as --resume does."
            ) from error


def _forget(forgotten: list[collections.deque[int]], key: int) -> None:
    for keys in forgotten:
        keys.append(key)


def _check_resources(available: Mapping[str, float], needs: Mapping[str, int], hosts: int) -> None:
    for name, number in needs.items():
        if available.get(name, 0) < hosts * number:
            raise ValueError(
                f"workers must be at most {available.get(name, 0) // number:.0f}, as many as the "
                f"cluster has {name}s free for, but is {hosts}"
            )


def _taken(waiting: collections.deque[Any]) -> Iterator[Any]:
    """Removes and returns all items, while other threads may do the same."""
    with contextlib.suppress(IndexError):
        while True:
            yield waiting.popleft()
