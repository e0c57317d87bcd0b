"""The tables of what was measured over actors, as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from benchmarks.cluster.cost import CostModel
from benchmarks.cluster.rounds import ACTORS, CASES, Measurement, Times

HOSTS = 100
_NETWORKS = (1, 10)  # Gbit/s.
_CORES = 16


def of_rounds(measured: Iterable[Measurement]) -> str:
    """Returns the median seconds of rounds, in brackets the processor's, and the speed-ups.

    The last column is the mean of `Times.longest` over one actor, divided by that over most.
    """
    least, most = min(ACTORS), max(ACTORS)
    rows = []
    for each in measured:
        times = [each.program, *each.actors.values()]
        beside = [each.speed_ups(most, least), each.speed_ups(most, 0)]
        longest = [statistics.mean(each.actors[number].longest) for number in (least, most)]
        rows.append(
            [each.name, *map(_seconds, times), *map(_ratio, beside)]
            + [f"{longest[0] / longest[1]:.2f}"]
        )
    return _table(
        ["round", "program", f"{least} actor", f"{most} actors"]
        + [f"{most} beside {least}, x as fast", f"{most} beside the program"]
        + [f"{most} beside {least}, processor"],
        rows,
    )


def of_bytes(measured: Iterable[Measurement]) -> str:
    """Returns the bytes of a round over the most actors beside the least possible."""
    rows = []
    for each in measured:
        moved = each.actors[max(ACTORS)]
        sizes = [moved.bytes_sent, moved.bytes_received, each.round.least_bytes(max(ACTORS))]
        rows.append(
            [each.name, f"{each.parameters:,}", *(f"{size:,}" for size in sizes)]
            + [f"{(sizes[0] + sizes[1]) / sizes[2]:.4f}"]
        )
    header = ["round", "parameters", f"bytes sent to {max(ACTORS)} actors", "received"]
    return _table([*header, "least of both", "x the least"], rows)


def of_model(model: CostModel, measured: Iterable[Measurement]) -> str:
    """Returns the seconds of the model beside the fastest round, and the mean `Times.longest`."""
    rows = []
    for each in measured:
        for seen in each.observations():
            said = model.seconds(seen.round, seen.actors)
            longest = statistics.mean(each.actors[seen.actors].longest)
            rows.append(
                [each.name, "fitted" if CASES[each.name].fitted else "not fitted"]
                + [str(seen.round.clients), str(seen.actors)]
                + [f"{one:.3f}" for one in (seen.round.computing, said, seen.seconds, longest)]
                + [f"{said / one - 1:+.0%}" for one in (seen.seconds, longest)]
            )
    header = ["round", "model", "clients", "actors", "computing, s", "model, s", "fastest, s"]
    return _table([*header, "processor, s", "error", "of processor"], rows)


def of_hosts(model: CostModel, measured: Iterable[Measurement]) -> str:
    """Returns what the model says of as many clients as hosts, each with one processor."""
    rows = []
    sizes = {each.parameters: each.round for each in measured if not CASES[each.name].fitted}
    for parameters, size in sorted(sizes.items()):
        one_each = size._replace(clients=HOSTS)
        for network in _NETWORKS:
            speed = network * 1e9
            overhead = model.overhead(one_each, HOSTS, bits_per_second=speed)
            least = (
                model.least_computing(one_each, HOSTS, as_fast_as=cores, bits_per_second=speed)
                for cores in (_CORES, HOSTS / 2)
            )
            rows.append(
                [f"{parameters:,}", f"{network}", f"{overhead:.3g}"]
                + [f"{seconds / HOSTS:.3g}" for seconds in least]
            )
    return _table(
        ["parameters", "Gbit/s", "overhead, s"]
        + [f"as fast as {cores} processors from, s" for cores in (_CORES, HOSTS // 2)],
        rows,
    )


def of_coefficients(model: CostModel) -> str:
    """Returns the model in one line."""
    return (
        f"seconds = {model.fixed:.4f} + {model.per_actor:.4f} · actors + "
        f"({1e6 * model.per_byte:.5f} + {1e6 * model.per_actor_byte:.5f} · actors) · MB of the "
        "model + processor seconds of the actor with the most clients"
    )


def _seconds(times: Times) -> str:
    return f"{statistics.median(times.seconds):.3f} ({statistics.mean(times.processor):.3f})"


def _ratio(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} – {max(values):.2f})"


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
