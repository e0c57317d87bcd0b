"""What a run was made on, which may change the last digits of its numbers."""

from __future__ import annotations

import json
import os
import pathlib
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from experiments.runs.files import TextFile
from experiments.runs.revision import revision

# TensorFlow's own; it reads it once, when it first computes.
INTRA_OP_THREADS_VARIABLE = "TF_NUM_INTRAOP_THREADS"

_PACKAGES = ("tff-weights", "tensorflow", "tensorflow-federated", "numpy")
_CPU_INFO = pathlib.Path("/proc/cpuinfo")


def environment() -> dict[str, Any]:
    """Returns what may change the numbers from one machine to another.

    Returns:
        The versions of Python, the operating system and `_PACKAGES`, the commit of this software,
        the number of the machine's cores, that of the threads among which TensorFlow splits one
        operation, and so its sums, and the processor, for which XLA compiles: None where nothing
        says it.

    Raises:
        ValueError: If the number of threads that the user has chosen is none.
    """
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cpu_count": os.cpu_count(),
        "intra_op_threads": intra_op_threads(),
        **{package: _version(package) for package in _PACKAGES},
        "revision": revision(),
    }


def intra_op_threads() -> int:
    """Returns among how many threads TensorFlow splits one operation in this process.

    Raises:
        ValueError: If the variable that says so holds no whole number from 1 on.
    """
    text = os.environ[INTRA_OP_THREADS_VARIABLE]  # Importing `experiments` has set it.
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"{INTRA_OP_THREADS_VARIABLE} must be a whole number from 1 on, got {text!r}"
        )
    return int(text)


def recorded_intra_op_threads(recorded: Mapping[str, Any]) -> int | None:
    """Returns among how many threads TensorFlow has split one operation of a run.

    Args:
        recorded: What `read_environment` returned.

    Returns:
        Their number; as long as nothing had fixed it, one for each core that the run could use,
        which were all of the machine's unless the record says otherwise. None where nothing says
        it.
    """
    names = ("intra_op_threads", "usable_cpu_count", "cpu_count")
    return next((recorded[name] for name in names if recorded.get(name)), None)


def read_environment(path: TextFile) -> dict[str, Any]:
    """Reads what a run has recorded of this, and where its raw data came from.

    Args:
        path: Its `environment.json`.

    Returns:
        What it holds; nothing where it is missing or damaged, as no number depends on it.
    """
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _processor() -> str | None:
    try:
        text = _CPU_INFO.read_text()
    except OSError:  # Only Linux has it.
        return platform.processor() or None
    # The first core's; virtual machines call processors of several generations by one name.
    lines = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    facts = {name.strip(): value.strip() for name, _, value in lines}
    generation = [
        f"{name} {facts[field]}"
        for name, field in (("family", "cpu family"), ("model", "model"))
        if facts.get(field)
    ]
    name = facts.get("model name") or platform.machine()
    return f"{name} ({', '.join(generation)})" if generation else name


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # Run from a checkout that is not installed.
        return None
