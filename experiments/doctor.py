"""Says in one screen whether experiments can run here, and what to do where they cannot.

    python -m experiments.doctor

The exit status is 0 when all is well, 1 when something needed is wrong, and 2 for wrong flags.
What may be missing is imported only where it is looked at.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from leaf_data.data_dir import default_data_dir

try:
    import packaging.requirements
    import psutil
    from absl import app, flags

    from experiments.command_line.program import parse_flags
except ImportError as error:
    sys.exit(f"{error}: install the packages of requirements.txt.")

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_PYTHONS = ((3, 9), (3, 11))
_SHOWN = ("tensorflow", "tensorflow-federated", "jax", "jaxlib", "numpy", "pandas", "ray")
_PROBE_TIMEOUT_SECONDS = 180.0
_LOW_GIB = 2.0
_GIB = 2**30

FINE, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(NamedTuple):
    """What was looked at, how it was found, what to do about it, and how bad it is."""

    subject: str
    state: str
    remedy: str = ""
    verdict: str = FINE


def examine_python() -> Finding:
    """Looks at the version of the interpreter."""
    lowest, highest = (".".join(map(str, version)) for version in _PYTHONS)
    fits = _PYTHONS[0] <= sys.version_info[:2] <= _PYTHONS[1]
    remedy = f"Make a virtual environment with Python {lowest} to {highest}."
    state = f"{sys.version.split()[0]} ({sys.executable})"
    return Finding("python", state) if fits else Finding("python", state, remedy, WRONG)


def examine_packages(requirements: pathlib.Path) -> Iterator[Finding]:
    """Names the versions of the main packages, and where they differ from the requirements.

    Args:
        requirements: A file of lines such as `numpy==1.25.2`; it need not exist.
    """
    shown = ", ".join(f"{package} {_version(package) or 'none'}" for package in _SHOWN)
    yield Finding("packages", shown)
    if not requirements.is_file():
        name_one = "Name the file of exact versions with --requirements to have them compared."
        yield Finding("requirements", f"there is no {requirements}", name_one, NOTE)
        return
    try:
        unmet = "; ".join(_unmet(requirements.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:  # It cannot be read, or has lines of another kind.
        state = f"{requirements} is no file of requirements: {str(error).splitlines()[0]}"
        yield Finding("requirements", state, "Name another with --requirements.", WRONG)
        return
    install = f"Run `{sys.executable} -m pip install --no-deps -r {requirements}`."
    met = Finding("requirements", f"all of {requirements} are met")
    yield Finding("requirements", unmet, install, WRONG) if unmet else met


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _unmet(text: str) -> Iterator[str]:
    for line in text.splitlines():
        line = line.split("#")[0].split(" --hash")[0].rstrip("\\ ")
        if not line or line.startswith("-"):  # Options such as --index-url.
            continue
        requirement = packaging.requirements.Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate():
            version = _version(requirement.name)
            if version is None:
                yield f"{requirement.name} is not installed"
            elif not requirement.specifier.contains(version, prereleases=True):
                yield f"{requirement.name} is {version}, not {requirement.specifier}"


def examine_machine() -> Iterator[Finding]:
    """Looks at cores and memory."""
    yield Finding("cores", str(os.cpu_count()))
    memory = psutil.virtual_memory()
    state = f"{memory.available / _GIB:.1f} GiB available of {memory.total / _GIB:.1f} GiB"
    is_low = memory.available < _LOW_GIB * _GIB
    remedy = "Close other programs, or let fewer clients train at a time."
    yield Finding("memory", state, remedy, NOTE) if is_low else Finding("memory", state)


def examine_folder(subject: str, folder: pathlib.Path, flag: str) -> Finding:
    """Looks whether files can be made in a folder that may not exist yet."""
    existing = folder
    try:
        while not existing.exists():
            existing = existing.parent
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        state = f"{folder} is not writable ({error.strerror})"
        return Finding(subject, state, f"Choose another folder with {flag}.", WRONG)
    free = shutil.disk_usage(existing).free / _GIB
    state = f"{folder} ({free:.1f} GiB free{'' if existing == folder else ', not made yet'})"
    remedy = f"Free some space, or choose another folder with {flag}."
    return Finding(subject, state, remedy, NOTE) if free < _LOW_GIB else Finding(subject, state)


def examine_runtime() -> Finding:
    """Runs a tiny federated computation, by `tff_weights.runtime.probe`, in its own program."""
    command = [sys.executable, "-m", "tff_weights.runtime.probe"]
    again = f"Run `python {' '.join(command[1:])}` to see the whole error."
    try:
        probe = subprocess.run(
            command,
            check=False,
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PROBE_TIMEOUT_SECONDS,
        )
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
    status = 0
    for finding in findings:
        print(f"{finding.verdict:<5} {finding.subject:<17} {finding.state}", flush=True)
        if finding.remedy:
            print(f"{'':<5} {'':<17} -> {finding.remedy}", flush=True)
        status = max(status, finding.verdict == WRONG)
    print("Something needed is wrong: see above." if status else "All is well.")
    return int(status)


def _examine(
    data_dir: pathlib.Path, results_dir: pathlib.Path, requirements: pathlib.Path
) -> Iterator[Finding]:
    """Yields all findings, quick ones first."""
    yield examine_python()
    yield from examine_packages(requirements)
    yield from examine_machine()
    yield examine_folder("data", data_dir, "--data_dir")
    yield examine_folder("results", results_dir, "--results_dir")
    yield examine_runtime()


def _main() -> None:
    default = str(default_data_dir())
    data_dir = flags.DEFINE_string("data_dir", default, "The folder of raw and cached data.")
    results_dir = flags.DEFINE_string("results_dir", "results", "The folder of results.")
    requirements = flags.DEFINE_string(
        "requirements", str(_ROOT / "requirements.txt"), "The file of exact package versions."
    )

    def examine(_: Sequence[str]) -> int:
        data, results, packages = (
            pathlib.Path(flag.value).expanduser() for flag in (data_dir, results_dir, requirements)
        )
        return report(_examine(data, results, packages))

    app.run(examine, flags_parser=functools.partial(parse_flags, description=__doc__ or ""))


if __name__ == "__main__":
    _main()
