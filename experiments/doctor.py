"""Says in one screen whether experiments can run here, and what to do where they cannot.

    python -m experiments.doctor

The exit status is 0 when all is well, 1 when something needed is wrong, and 2 for wrong flags.
What may be missing is imported only where it is looked at.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

from leaf_data.data_dir import DATA_DIR_VARIABLE, default_data_dir

try:
    from absl import app, flags

    from experiments import usage
except ImportError:
    sys.exit("absl-py is not installed: install the packages of requirements.txt.")

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_SUPPORTED_PYTHONS = ((3, 9), (3, 11))
_SHOWN_PACKAGES = (
    "tensorflow",
    "tensorflow-federated",
    "jax",
    "jaxlib",
    "numpy",
    "pandas",
    "matplotlib",
    "ray",
)
_PROBE_TIMEOUT_SECONDS = 180.0
_LOW_MEMORY_GIB = 2.0
_LOW_DISK_GIB = 2.0
_GIB = 2**30


class Verdict(enum.Enum):
    """How a finding bears on running experiments."""

    FINE = "ok"
    WORTH_KNOWING = "note"
    WRONG = "WRONG"


@dataclasses.dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        subject: What was looked at.
        state: How it was found.
        remedy: What to do about it, in one sentence; empty when it is fine.
        verdict: How bad it is.
    """

    subject: str
    state: str
    remedy: str = ""
    verdict: Verdict = Verdict.FINE


def examine_python() -> Finding:
    """Looks at the version of the interpreter."""
    lowest, highest = _SUPPORTED_PYTHONS
    state = f"{sys.version.split()[0]} ({sys.executable})"
    if lowest <= sys.version_info[:2] <= highest:
        return Finding("python", state)
    names = [".".join(map(str, version)) for version in _SUPPORTED_PYTHONS]
    remedy = f"Make a virtual environment with Python {names[0]} to {names[1]}."
    return Finding("python", state, remedy, Verdict.WRONG)


def examine_packages(requirements: pathlib.Path) -> Iterator[Finding]:
    """Names the versions of the main packages, and where they differ from the requirements.

    Args:
        requirements: A file of lines such as `numpy==1.25.2`. If it does not exist, the main
            packages need only be installed.

    Yields:
        One finding for the main packages, and one for every requirement that is not met.
    """
    versions = {package: _installed_version(package) for package in _SHOWN_PACKAGES}
    shown = ", ".join(f"{package} {version or 'none'}" for package, version in versions.items())
    yield Finding("packages", shown)
    if not requirements.is_file():
        yield Finding(
            "requirements",
            f"there is no {requirements}",
            "Name the file of exact versions with --requirements to have them compared.",
            Verdict.WORTH_KNOWING,
        )
        return
    try:
        unmet = list(_unmet_requirements(requirements.read_text(encoding="utf-8")))
    except ImportError:
        unmet = ["packaging is not installed"]
    except (OSError, ValueError) as error:  # It cannot be read, or has lines of another kind.
        yield Finding(
            "requirements",
            f"{requirements} is no file of requirements: {str(error).splitlines()[0]}",
            "Name another with --requirements.",
            Verdict.WRONG,
        )
        return
    if not unmet:
        yield Finding("requirements", f"all of {requirements} are met")
        return
    install = f"Run `{sys.executable} -m pip install --no-deps -r {requirements}`."
    yield Finding("requirements", "; ".join(unmet), install, Verdict.WRONG)


def _installed_version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _unmet_requirements(text: str) -> Iterator[str]:
    from packaging import requirements

    for line in text.splitlines():
        line = line.split("#")[0].split(" --hash")[0].rstrip("\\ ")
        if not line or line.startswith("-"):  # Options such as --index-url.
            continue
        requirement = requirements.Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        version = _installed_version(requirement.name)
        if version is None:
            yield f"{requirement.name} is not installed"
        elif not requirement.specifier.contains(version, prereleases=True):
            yield f"{requirement.name} is {version}, not {requirement.specifier}"


def examine_runtime(subject: str, kind: str, *, if_broken: Verdict) -> Finding:
    """Runs a tiny federated computation in a program of its own.

    Args:
        subject: What the runtime is called in the report.
        kind: `program` or `worker`.
        if_broken: How bad it is if that fails.

    Returns:
        The finding.
    """
    command = f"python -m tff_weights.runtime.probe {kind}"
    start = time.monotonic()
    try:
        probe = subprocess.run(
            [sys.executable, "-m", "tff_weights.runtime.probe", kind],
            check=False,
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PROBE_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Finding(
            subject,
            f"did not answer in {_PROBE_TIMEOUT_SECONDS:g} seconds",
            f"Run `{command}` when the machine is less busy.",
            if_broken,
        )
    if probe.returncode == 0:
        seconds = json.loads(probe.stdout.splitlines()[-1])
        first, following = seconds["first_computation_seconds"], seconds["next_computation_seconds"]
        return Finding(
            subject,
            f"answers; the first computation took {first:.2f} s, the next {following:.3f} s, "
            f"the whole program {time.monotonic() - start:.1f} s",
        )
    # TFF's destructors may complain after the error that matters.
    error = probe.stderr.split("Exception ignored in")[0].strip()
    messages = error.splitlines() or [f"ended with exit status {probe.returncode}"]
    remedy = f"Run `{command}` to see the whole error."
    if "No module named" in messages[-1]:
        remedy = "Install what is missing from requirements.txt with `pip install --no-deps -r`."
    return Finding(subject, messages[-1], remedy, if_broken)


def examine_machine() -> Iterator[Finding]:
    """Looks at cores, memory, and at workers that dead programs left behind."""
    yield Finding("cores", str(os.cpu_count()))
    try:
        import psutil
    except ImportError:
        yield Finding(
            "memory", "unknown", "Install psutil, which TFF needs as well.", Verdict.WORTH_KNOWING
        )
        return
    memory = psutil.virtual_memory()
    state = f"{memory.available / _GIB:.1f} GiB available of {memory.total / _GIB:.1f} GiB"
    if memory.available < _LOW_MEMORY_GIB * _GIB:
        remedy = (
            "Close other programs, or let fewer clients train at a time "
            "(ProgramOptions.client_threads)."
        )
        yield Finding("memory", state, remedy, Verdict.WORTH_KNOWING)
    else:
        yield Finding("memory", state)
    orphans = _left_over_workers(psutil)
    if not orphans:
        yield Finding("left-over workers", "none")
        return
    numbers = " ".join(str(orphan["pid"]) for orphan in orphans)
    resident = sum(orphan["memory_info"].rss for orphan in orphans)
    yield Finding(
        "left-over workers",
        f"{len(orphans)} of programs that ended, holding {resident / _GIB:.1f} GiB",
        f"End them with `kill {numbers}`.",
        Verdict.WORTH_KNOWING,
    )


def _left_over_workers(psutil: Any) -> list[dict[str, Any]]:
    """Returns this user's workers whose parent has ended and left them to the system."""
    attributes = ["pid", "ppid", "name", "status", "uids", "memory_info"]
    processes = {process.pid: process.info for process in psutil.process_iter(attributes)}

    def is_left_over(process: dict[str, Any]) -> bool:
        parent = processes.get(process["ppid"])
        return (
            process["name"] == "worker_binary"
            and process["status"] != psutil.STATUS_ZOMBIE
            and process["uids"] is not None
            and process["uids"].real == os.getuid()
            and (parent is None or parent["pid"] == 1 or parent["name"] == "systemd")
        )

    return [process for process in processes.values() if is_left_over(process)]


def examine_folder(subject: str, folder: pathlib.Path, flag: str) -> Finding:
    """Looks whether files can be made in a folder that may not exist yet.

    Args:
        subject: What the folder holds.
        folder: The folder.
        flag: The flag that chooses another one.

    Returns:
        The finding.
    """
    existing = folder
    elsewhere = f"Choose another folder with {flag}."
    try:
        while not existing.exists():
            existing = existing.parent
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        return Finding(
            subject, f"{folder} is not writable ({error.strerror})", elsewhere, Verdict.WRONG
        )
    free_gib = shutil.disk_usage(existing).free / _GIB
    state = f"{folder} ({free_gib:.1f} GiB free{'' if existing == folder else ', not made yet'})"
    if free_gib < _LOW_DISK_GIB:
        return Finding(subject, state, f"Free some space, or: {elsewhere}", Verdict.WORTH_KNOWING)
    return Finding(subject, state)


def report(findings: Iterable[Finding]) -> int:
    """Prints the findings as they come and returns the exit status."""
    status = 0
    for finding in findings:
        print(f"{finding.verdict.value:<5} {finding.subject:<17} {finding.state}", flush=True)
        if finding.remedy:
            print(f"{'':<5} {'':<17} -> {finding.remedy}", flush=True)
        if finding.verdict is Verdict.WRONG:
            status = 1
    print("Something needed is wrong: see above." if status else "All is well.")
    return status


def examine(
    *, data_dir: pathlib.Path, results_dir: pathlib.Path, requirements: pathlib.Path
) -> Iterator[Finding]:
    """Yields all findings, quick ones first."""
    yield examine_python()
    yield from examine_packages(requirements)
    yield from examine_machine()
    yield examine_folder("data", data_dir, "--data_dir")
    yield examine_folder("results", results_dir, "--results_dir")
    yield examine_runtime("runtime", "program", if_broken=Verdict.WRONG)
    # Needed with --runtime=worker alone.
    yield examine_runtime("TFF worker", "worker", if_broken=Verdict.WORTH_KNOWING)


_DATA_DIR = flags.DEFINE_string(
    "data_dir",
    None,
    f"The folder of raw and cached data. Default: ${DATA_DIR_VARIABLE}, or else the folder "
    "tff-weights of the user's cache.",
)
_RESULTS_DIR = flags.DEFINE_string("results_dir", "results", "The folder of results.")
_REQUIREMENTS = flags.DEFINE_string(
    "requirements", str(_ROOT / "requirements.txt"), "The file of exact package versions."
)


def _parse_flags(arguments: Sequence[str]) -> list[str]:
    """Parses the flags; on a wrong one, says so in a sentence and exits with status 2."""
    if usage.is_asked_for(arguments):
        print(usage.text(__doc__ or ""))
        sys.exit()
    try:
        rest = flags.FLAGS(arguments)
    except flags.Error as error:
        _exit_for_usage(f"{error}.")
    if len(rest) > 1:
        _exit_for_usage(f"The doctor takes flags only, but was given {rest[1]!r}.")
    return rest


def _exit_for_usage(sentence: str) -> NoReturn:
    print(f"{sentence} See python -m experiments.doctor --help.", file=sys.stderr)
    sys.exit(2)


def _main(_: Sequence[str]) -> int:
    data_dir = _DATA_DIR.value
    return report(
        examine(
            data_dir=pathlib.Path(data_dir).expanduser() if data_dir else default_data_dir(),
            results_dir=pathlib.Path(_RESULTS_DIR.value).expanduser().absolute(),
            requirements=pathlib.Path(_REQUIREMENTS.value),
        )
    )


if __name__ == "__main__":
    app.run(_main, flags_parser=_parse_flags)
