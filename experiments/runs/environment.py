"""What a run was made on, which may change the last digits of its numbers."""

from __future__ import annotations

import json
import os
import pathlib
import platform
from importlib import metadata
from typing import Any

_PACKAGES = ("tff-weights", "tensorflow", "tensorflow-federated", "numpy")
_CPU_INFO = pathlib.Path("/proc/cpuinfo")


def environment() -> dict[str, Any]:
    """Returns what may change the numbers from one machine to another.

    Returns:
        The versions of Python, the operating system and `_PACKAGES`, the numbers of cores of the
        machine and of those that this process may use, among whose threads TensorFlow splits a sum,
        and the processor, for which XLA compiles: None where the system does not say it.
    """
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cpu_count": os.cpu_count(),
        "usable_cpu_count": _usable_cpu_count(),
        **{package: _version(package) for package in _PACKAGES},
    }


def read_environment(path: pathlib.Path) -> dict[str, Any]:
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


def _usable_cpu_count() -> int | None:
    if not hasattr(os, "sched_getaffinity"):  # Only Linux has it.
        return None
    return len(os.sched_getaffinity(0))


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # Run from a checkout that is not installed.
        return None
