"""Says in one screen whether experiments can run here, and what to do where they cannot.

python -m experiments.doctor
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import psutil
from absl import app, flags
from packaging.requirements import Requirement

from experiments.command_line import shared_flags
from experiments.command_line.program import end_without_reader, parse_flags
from experiments.start_up import version_of
from leaf_data.data_dir import default_data_dir

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_PYTHONS = ((3, 9), (3, 11))
_SHOWN = ("tensorflow", "tensorflow-federated", "jax", "jaxlib", "numpy", "pandas", "ray")
_PROBE = ("-m", "tff_weights.runtime.probe")
_PROBE_TIMEOUT_SECONDS, _LOW_GIB, _GIB = 180.0, 2.0, 2**30
FINE, NOTE, WRONG = "ok", "note", "WRONG"
_GIVEN = ("data_dir", "results_dir", "requirements")


class Finding(NamedTuple):
    """What was checked, what was found, what to do about it, and how bad it is."""

    subject: str
    state: str
    remedy: str = ""
    verdict: str = FINE


def _look(subject: str, state: str, is_bad: bool, remedy: str, verdict: str = WRONG) -> Finding:
    return Finding(subject, state, remedy, verdict) if is_bad else Finding(subject, state)


def examine_python() -> Finding:
    """Checks the version of the interpreter."""
    lowest, highest = (".".join(map(str, each)) for each in _PYTHONS)
    is_other = not _PYTHONS[0] <= sys.version_info[:2] <= _PYTHONS[1]
    remedy = f"Make a virtual environment with Python {lowest} to {highest}."
    return _look("python", f"{sys.version.split()[0]} ({sys.executable})", is_other, remedy)


def examine_requirements(file: pathlib.Path) -> Finding:
    """Checks which packages differ from a file of requirements."""
    if not file.is_file():
        remedy = "Name the file of exact versions with --requirements to have them compared."
        return Finding("requirements", f"there is no {file}", remedy, NOTE)
    try:
        unmet = "; ".join(_unmet(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:  # The file cannot be read, or has lines of another kind.
        fault = f"{file} is no file of requirements: {str(error).splitlines()[0]}"
        return Finding("requirements", fault, "Name another with --requirements.", WRONG)
    remedy = f"Run `{sys.executable} -m pip install --no-deps -r {file}`."
    return _look("requirements", unmet or f"all of {file} are met", bool(unmet), remedy)


def _unmet(text: str) -> Iterator[str]:
    lines = (line.split("#")[0].split(" --hash")[0].rstrip("\\ ") for line in text.splitlines())
    # Without options such as --index-url.
    for needed in (Requirement(line) for line in lines if line and not line.startswith("-")):
        found = version_of(needed.name)
        if needed.marker is None or needed.marker.evaluate():
            if found is None:
                yield f"{needed.name} is not installed"
            elif not needed.specifier.contains(found, prereleases=True):
                yield f"{needed.name} is {found}, not {needed.specifier}"


def examine_memory() -> Finding:
    """Looks at cores and memory."""
    memory = psutil.virtual_memory()
    free, total = memory.available / _GIB, memory.total / _GIB
    state = f"{free:.1f} GiB available of {total:.1f} GiB; {os.cpu_count()} cores"
    remedy = "Close other programs, or let fewer clients train at a time."
    return _look("memory", state, free < _LOW_GIB, remedy, NOTE)


def examine_folder(subject: str, folder: pathlib.Path) -> Finding:
    """Checks whether files can be made in a folder, which need not exist yet."""
    existing, other = folder, f"Choose another folder with --{subject}_dir, or free some space."
    try:
        while not existing.exists():
            existing = existing.parent
        with tempfile.TemporaryFile(dir=existing):
            free = shutil.disk_usage(existing).free / _GIB
    except OSError as error:
        return Finding(subject, f"{folder} is not writable ({error.strerror})", other, WRONG)
    state = f"{folder} ({free:.1f} GiB free{'' if existing == folder else ', not made yet'})"
    return _look(subject, state, free < _LOW_GIB, other, NOTE)


def examine_runtime() -> Finding:
    """Runs a tiny federated computation, by `tff_weights.runtime.probe`, in its own program."""
    again = f"Run `python {' '.join(_PROBE)}` to see the whole error."
    run = functools.partial(subprocess.run, cwd=_ROOT, stdin=subprocess.DEVNULL, text=True)
    try:
        probe = run([sys.executable, *_PROBE], capture_output=True, timeout=_PROBE_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired as error:
        return Finding("runtime", f"no answer in {error.timeout:g} seconds", again, WRONG)
    if probe.returncode == 0:
        first, following = json.loads(probe.stdout.splitlines()[-1]).values()
        took = f"took {first:.2f} s, the next {following:.3f} s"
        return Finding("runtime", f"answers; the first computation {took}")
    # TFF's destructors may complain after the error that matters.
    said = probe.stderr.split("Exception ignored in")[0].strip().splitlines()
    return Finding("runtime", [f"status {probe.returncode}", *said][-1], again, WRONG)


def report(findings: Iterable[Finding]) -> int:
    """Prints the findings as they come and returns the exit status."""
    is_wrong = False
    for subject, state, remedy, verdict in findings:
        shown = [f"{verdict:<5} {subject:<13} {state}", *([f"{'':<19} -> {remedy}"] * bool(remedy))]
        print("\n".join(shown), flush=True)
        is_wrong |= verdict == WRONG
    print("Something needed is wrong: see above." if is_wrong else "All is well.")
    return int(is_wrong)


def _examine(_: Sequence[str]) -> int:
    data, results, file = (pathlib.Path(flags.FLAGS[name].value) for name in _GIVEN)
    packages = ", ".join(f"{package} {version_of(package) or 'none'}" for package in _SHOWN)
    looks = (
        *(examine_python, lambda: Finding("packages", packages)),
        *(lambda: examine_requirements(file), examine_memory),
        *(lambda: examine_folder("data", data), lambda: examine_folder("results", results)),
        examine_runtime,
    )
    try:
        return report(look() for look in looks)
    except BrokenPipeError:
        end_without_reader()


if __name__ == "__main__":
    shared_flags.define_path("data_dir", str(default_data_dir()), "The folder of data sets.")
    shared_flags.define_path("results_dir", "results", "The folder of results.")
    shared_flags.define_path("requirements", str(_ROOT / "requirements.txt"), "The exact versions.")
    app.run(_examine, flags_parser=functools.partial(parse_flags, description=__doc__ or ""))
