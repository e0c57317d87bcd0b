"""The memory of a long run."""

from __future__ import annotations

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
    """Watches a run: after how many rounds it had how much memory."""
    samples = []
    while program.running:
        time.sleep(_INTERVAL_SECONDS)
        rounds = metrics.read_text().count("\n") - 1 if metrics.exists() else 0
        resident = sum(process.memory_info().rss for process in program.processes())
        samples.append((rounds, resident / _MEBIBYTE))
    return samples


def _draw(samples, path):
    figure, axes = pyplot.subplots()
    axes.plot(*zip(*samples))
    axes.set(xlabel="round", ylabel="resident memory, MiB", ylim=(0, None))
    figure.savefig(path)
    pyplot.close(figure)


@pytest.mark.long
def test_a_thousand_rounds_take_no_more_memory_than_fifty(start_command, tmp_path):
    """Every cohort is another one, of clients with 50 to thousands of examples."""
    train = shlex.join(
        [
            *(sys.executable, "-m", "experiments.train"),
            "--algorithm=fed_fa",
            "--dataset=synthetic_1_1",
            f"--rounds={_ROUNDS}",
            "--epochs=1",
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
    settled = [megabytes for rounds, megabytes in samples if rounds >= _SETTLED_ROUND]
    # The last look may find the processes on their way out.
    assert max(settled[1:]) <= _ALLOWED_GROWTH * settled[0], (settled[0], max(settled))
