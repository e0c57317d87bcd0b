"""What a run was made on, which may change the last digits of its numbers."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import platform
import re
import subprocess
from collections.abc import Mapping
from importlib import metadata
from typing import Any, NamedTuple

from experiments.runs.files import TextFile
from experiments.start_up import version_of

THREADS_VARIABLE, ONE_DNN_VARIABLE = "TF_NUM_INTRAOP_THREADS", "TF_ENABLE_ONEDNN_OPTS"

_DISTRIBUTION = "tff-weights"
_PACKAGES = (_DISTRIBUTION, "tensorflow", "tensorflow-federated", "numpy")
_CPU_INFO = pathlib.Path("/proc/cpuinfo")
_ROOT = pathlib.Path(__file__).resolve().parents[2]
_SOURCES = ("tff_weights/*.py", "leaf_data/*.py", "experiments/*.py")
_GIT_TIMEOUT_SECONDS = 10


class Arithmetic(NamedTuple):
    """Threads for one operation, and whether oneDNN computes; networks' last digits differ."""

    intra_op_threads: int
    one_dnn: bool

    def variables(self) -> dict[str, str]:
        """Returns TensorFlow's variables for it, which it reads once."""
        return {THREADS_VARIABLE: str(self.intra_op_threads), ONE_DNN_VARIABLE: f"{self.one_dnn:d}"}


def environment() -> dict[str, Any]:
    """Returns what may change numbers from one machine to another; None for what is unknown.

    XLA compiles for the processor, and the threads of an operation decide the order of its sums.

    Raises:
        ValueError: If the user's number of threads is no number.
    """
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cpu_count": os.cpu_count(),
        **arithmetic()._asdict(),
        **{package: version_of(package) for package in _PACKAGES},
        "revision": revision(),
    }


def arithmetic() -> Arithmetic:
    """Returns what TensorFlow reads in this process.

    Raises:
        ValueError: If the variable that says so holds no whole number from 1 on.
    """
    text = os.environ[THREADS_VARIABLE]
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{THREADS_VARIABLE} must be a whole number from 1 on, got {text!r}")
    return Arithmetic(int(text), os.environ[ONE_DNN_VARIABLE].lower() not in ("0", "false"))


def recorded_arithmetic(recorded: Mapping[str, Any]) -> Arithmetic:
    """Returns what TensorFlow read for a run; what is not recorded is as in this process.

    Before the number of threads was fixed, it was one for each core that the run could use: all
    cores of the machine, unless the record says otherwise. Before oneDNN was switched on
    everywhere, TensorFlow decided. Of the processors on record, it left oneDNN out on family 23.
    """
    names = ("intra_op_threads", "usable_cpu_count", "cpu_count")
    threads = next((recorded[name] for name in names if recorded.get(name)), None)
    by_itself = "family 23" not in (recorded.get("processor") or "")
    return Arithmetic(threads or arithmetic().intra_op_threads, recorded.get("one_dnn", by_itself))


def read_environment(path: TextFile) -> dict[str, Any]:
    """Returns what a run has recorded of this, and where its raw data came from.

    It is empty if the file is missing or damaged, since no number depends on it.
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
    # The first core's data; virtual machines give several generations of processors one name.
    facts = dict(re.findall(r"^(.+?)\s*: *(.*)$", text.split("\n\n")[0], re.MULTILINE))
    name = facts.get("model name") or platform.machine()
    if not facts.get("cpu family"):
        return name
    return f"{name} (family {facts['cpu family']}, model {facts.get('model')})"


@functools.cache
def revision() -> str | None:
    """Returns the commit from which this software runs, as it was when first asked.

    The form of a graph may change the last digits of its results, even in one version. A checkout's
    commit has a note if its sources differ from it, or Git does not say whether they do. An
    installed package has the commit that pip took from a repository (PEP 610). A released one has
    None.
    """
    if not (_ROOT / ".git").exists():
        return _installed_commit()
    commit = _git("rev-parse", "HEAD")
    is_as_committed = _git("status", "--porcelain", "--", *_SOURCES) == ""
    return commit if commit is None or is_as_committed else f"{commit} with changes"


def _git(*arguments: str) -> str | None:
    """Returns Git's output; None if Git is missing or refuses, as for another user's files."""
    command, quiet = ["git", *arguments], subprocess.DEVNULL
    try:
        return subprocess.check_output(
            command, cwd=_ROOT, stdin=quiet, stderr=quiet, text=True, timeout=_GIT_TIMEOUT_SECONDS
        ).strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _installed_commit() -> str | None:
    try:
        text = metadata.distribution(_DISTRIBUTION).read_text("direct_url.json") or "{}"
    except metadata.PackageNotFoundError:
        return None
    return json.loads(text).get("vcs_info", {}).get("commit_id")
