"""The memory of a long run: of the program, and of TFF's worker where it is used."""

from __future__ import annotations

import collections
import shlex
import sys
import time

import matplotlib
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot

_ROUNDS = 1000
_SETTLED_ROUND = 50
_ALLOWED_GROWTH = 1.10
_INTERVAL_SECONDS = 0.5
_MEBIBYTE = 2**20


def _megabytes_by_round(program, metrics):
    """Watches a run: after how many rounds it had how much memory, the worker's apart."""
    samples = collections.defaultdict(list)
    while program.running:
        time.sleep(_INTERVAL_SECONDS)
        rounds = metrics.read_text().count("\n") - 1 if metrics.exists() else 0
        resident = collections.defaultdict(float)
        for process in program.processes():
            kind = "worker" if process.name() == "worker_binary" else "program"
            resident[kind] += process.memory_info().rss / _MEBIBYTE
        for kind, megabytes in resident.items():
            samples[kind].append((rounds, megabytes))
    return samples


def _draw(samples, path):
    figure, axes = pyplot.subplots()
    for kind, of_kind in samples.items():
        axes.plot(*zip(*of_kind), label=kind)
    axes.set(xlabel="round", ylabel="resident memory, MiB", ylim=(0, None))
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)


@pytest.mark.long
@pytest.mark.parametrize(
    ("runtime", "kinds"), [("program", {"program"}), ("worker", {"program", "worker"})]
)
def test_a_thousand_rounds_take_no_more_memory_than_fifty(start_command, tmp_path, runtime, kinds):
    """Every cohort is another one, of clients with 50 to thousands of examples."""
    train = shlex.join(
        [
            *(sys.executable, "-m", "experiments.train"),
            "--algorithm=fed_fa",
            "--dataset=synthetic_1_1",
            f"--rounds={_ROUNDS}",
            "--epochs=1",
            f"--runtime={runtime}",
            f"--output_dir={tmp_path / 'run'}",
        ]
    )
    # A pipe that nobody reads would be full of the progress bar long before the end.
    program = start_command("sh", "-c", f"exec {train} 2> {shlex.quote(str(tmp_path / 'errors'))}")
    samples = _megabytes_by_round(program, tmp_path / "run/metrics.csv")
    ended = program.finish()
    assert ended.status == 0, (tmp_path / "errors").read_text()
    plot = tmp_path / "memory.png"
    _draw(samples, plot)
    print(f"Drawn: {plot}")
    assert set(samples) == kinds
    for kind, of_kind in samples.items():
        settled = [megabytes for rounds, megabytes in of_kind if rounds >= _SETTLED_ROUND]
        # The last look may find the processes on their way out.
        assert max(settled[1:]) <= _ALLOWED_GROWTH * settled[0], (kind, settled[0], max(settled))
