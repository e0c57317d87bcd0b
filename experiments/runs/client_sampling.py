"""Which clients form the cohort of a round."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import ResolvedRun
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import Task
from tff_weights import clients_of_round

# From the round's number, which begins with 1, and the process' state before it, to the sorted
# indices.
Cohorts: TypeAlias = Callable[..., list[int]]


def sampled_cohorts(run: ResolvedRun, task: Task) -> Cohorts:
    """Returns the cohorts that a run draws, see `build_client_sampling`.

    Raises:
        ValueError: If the cohort is too large, or `lengthened_at` is given.
    """
    configuration = run.configuration
    refuse_unused(configuration, lengthened_at=None)
    sample = build_client_sampling(
        configuration.client_sampling,
        num_examples_per_client(task.dataset.train),
        clients_per_round=configuration.clients_per_round,
        seed=configuration.seeds.sampling,
    )
    return lambda round_number, state=None: sample(round_number)


def drawn_by_process(run: ResolvedRun, task: Task) -> Cohorts:
    """Returns the cohorts that the run's process draws by itself, see `build_drfa`.

    Raises:
        ValueError: If the run also has another setting that selects clients.
    """
    refuse_unused(
        run.configuration, client_sampling="uniform", attack_round=None, lengthened_at=None
    )
    return lambda round_number, state: clients_of_round(state)


def turns(run: ResolvedRun, task: Task) -> Cohorts:
    """Returns cohorts in which all clients have equally many turns, see `build_turns`.

    A lengthened run keeps the turns of its first rounds. The added rounds have turns of their own.

    Raises:
        ValueError: If the cohort is too large, or the run has another way to draw it.
    """
    configuration = run.configuration
    refuse_unused(configuration, client_sampling="uniform")
    ends = [0, *configuration.lengthened_after, configuration.rounds]
    parts = [
        build_turns(
            num_clients=task.dataset.num_clients,
            clients_per_round=configuration.clients_per_round,
            rounds=end - begin,
        )
        for begin, end in zip(ends, ends[1:])
    ]

    def cohort(round_number: int, state: Any = None) -> list[int]:
        part = bisect.bisect_left(ends, round_number) - 1
        return parts[part](round_number - ends[part])

    return cohort


def refuse_unused(configuration: RunConfiguration, **defaults: Any) -> None:
    """Raises a `ValueError` if one of these settings, which a run does not use, is given."""
    for name, default in defaults.items():
        if getattr(configuration, name) != default:
            raise ValueError(f"{name} is not used by {configuration.algorithm}; leave it out")


def build_client_sampling(
    sampling: str, num_examples: npt.NDArray[np.int64], *, clients_per_round: int, seed: int
) -> Callable[[int], list[int]]:
    """Returns the sorted indices of each round's cohort as a function of the round's number.

    They depend on the seed and the round alone.

    Args:
        sampling: `"uniform"`, or `"proportional"` to the numbers of training examples (the other
            reading of FedFa's Algorithm 1). Both are without replacement.
        num_examples: `[num_clients]`, each client's number of training examples.
        clients_per_round: The size of the cohort.
        seed: In [0, 2**31).

    Raises:
        ValueError: If the cohort is larger than the number of clients that can be drawn.
    """
    if sampling == "uniform":
        _check_cohort(clients_per_round, len(num_examples))
        sample = tff.simulation.build_uniform_sampling_fn(
            range(len(num_examples)), replace=False, random_seed=seed
        )
        return lambda round_number: sorted(sample(round_number, clients_per_round))

    _check_cohort(clients_per_round, int(np.count_nonzero(num_examples)))
    shares = num_examples / num_examples.sum()

    def sample_proportionally(round_number: int) -> list[int]:
        generator = np.random.default_rng([seed, round_number])
        cohort = generator.choice(len(shares), size=clients_per_round, replace=False, p=shares)
        return sorted(cohort.tolist())

    return sample_proportionally


def build_turns(
    *, num_clients: int, clients_per_round: int, rounds: int
) -> Callable[[int], list[int]]:
    """Returns the sorted indices of each round's cohort, of clients that train alone in turns.

    In a federated run of the same number of rounds, a uniformly drawn client expects `rounds ·
    clients_per_round / num_clients` rounds. Here it has that number, rounded up. So every client
    trains, and none has less than its expected share. The cohorts are as large as the federated
    run's, apart from rounding. Rounds begin at 1.

    Raises:
        ValueError: If the federated run's cohort is larger than the number of clients.
    """
    _check_cohort(clients_per_round, num_clients)
    num_turns = num_clients * math.ceil(rounds * clients_per_round / num_clients)

    def cohort(round_number: int) -> list[int]:
        first = num_turns * (round_number - 1) // rounds
        end = num_turns * round_number // rounds
        return sorted(turn % num_clients for turn in range(first, end))

    return cohort


def _check_cohort(clients_per_round: int, num_clients: int) -> None:
    if clients_per_round > num_clients:
        raise ValueError(
            f"clients_per_round must be at most the number of clients to draw from, {num_clients}, "
            f"got {clients_per_round}"
        )
