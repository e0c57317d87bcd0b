"""Start-up of a program: its answer to Ctrl-C, its encoding, and its temporary files.

It comes before everything else, so it imports nothing that takes time.
"""

from __future__ import annotations

import functools
import io
import os
import pathlib
import signal
import sys
import tempfile
import threading
from importlib import metadata
from importlib.machinery import PathFinder
from typing import Any

COMMAND = "tff-weights"  # As pyproject.toml installs it.
# Where the results lie that travel with the software.
RESULTS_DIR = pathlib.Path(__file__).resolve().parent / "results"

# What programs import and pip installs with the extra `experiments` alone.
_PACKAGES = (
    *("PIL", "docstring_parser", "ijson", "jinja2", "matplotlib", "pandas", "ray"),
    *("absl", "packaging", "psutil", "tensorflow_datasets", "tqdm"),
    *(() if sys.version_info >= (3, 11) else ("tomli",)),
)

BAD_INPUT_STATUS = 2
INTERRUPTED_STATUS = 130
EXIT_STATUS = (
    "Exit status: 0 when all is well; 1 when something that was begun failed; 2 for bad input, "
    "which is answered in one sentence; 130 after Ctrl-C, 143 after SIGTERM. Results go to "
    "standard output, progress and what is wrong to standard error."
)
# A Ctrl-C that a destructor has lost is repeated after so many seconds: by then that one has ended.
_AGAIN_SECONDS = 0.05


def is_program() -> bool:
    """Says whether a program of this package is being started.

    During the import for `python -m experiments.…`, "-m" stands in place of the program's name.
    """
    return os.path.basename(sys.argv[0] if sys.argv else "") in ("-m", COMMAND)


def print_whatever_the_terminal_takes() -> None:
    """Prints letters that a terminal's encoding lacks as escapes, instead of raising errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def missing_packages() -> list[str]:
    """Returns the packages of the extra `experiments` that are not installed."""
    return [name for name in _PACKAGES if PathFinder.find_spec(name) is None]


def end_at_once_when_interrupted() -> None:
    """Lets Ctrl-C end the program at once, with a message and status 130.

    Python's own way, an exception, is lost in code that catches everything, such as TensorFlow's
    modules during their import. A program that was started to ignore Ctrl-C still ignores it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)


def end_in_good_order_when_interrupted() -> None:
    """Lets Ctrl-C raise `KeyboardInterrupt` again, and repeats it if it is lost.

    Python raises it between any two steps. If the step is in a destructor or in a weak reference's
    callback, Python prints a traceback and goes on. This is frequent while TFF builds computations.
    """
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = _interrupt_again


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    # A signal, since `_thread.interrupt_main` does not end a sleep or a wait of the main thread.
    timer = threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


def _end_at_once(*_: Any) -> None:
    os.write(2, b"\nInterrupted.\n")
    os._exit(INTERRUPTED_STATUS)


def version() -> str:
    """Returns the name and the version of this software."""
    return f"{COMMAND} {version_of(COMMAND) or '(not installed)'}"


def version_of(package: str) -> str | None:
    """Returns the version of a package; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # Run from a checkout that is not installed.
        return None


@functools.cache
def use_own_temporary_folder() -> str:
    """Returns a folder for the temporary files of this program and of those it starts.

    It is removed with the program, because TensorFlow's and Ray's processes leave files behind if
    they are killed.
    """
    from tff_weights.runtime.own_folder import OwnFolder  # Imports TensorFlow.

    folder = OwnFolder("tff-weights-program-").path
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = folder
    return folder
