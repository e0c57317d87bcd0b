"""Ctrl-C from the first moment on, and temporary files that go with their program.

That none is left of any program is looked at where any test's program has ended, in `conftest.py`.
"""

from __future__ import annotations

import io
import signal
import sys
import time

import pytest

from experiments import start_up

# From its first line on; on any machine at least one of them falls into the imports, most of them
# TensorFlow's.
_SECONDS = (0.0, 0.6, 1.5, 2.4, 3.3)
# Before that line Python is being started, and what measures coverage, which may drop Ctrl-C.
_TRAIN = """
import pathlib, runpy, sys
first_line, sys.argv[:2] = pathlib.Path(sys.argv[1]), ["-m"]
import experiments
first_line.touch()
runpy.run_module("experiments.train", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_is_never_lost(start_command, tmp_path):
    """Whatever the program is doing then: nothing catches it for good."""
    flags = ("--algorithm=fed_avg", "--rounds=100000", f"--output_dir={tmp_path / 'run'}")
    programs = []
    for seconds in _SECONDS:
        first_line = tmp_path / f"first_line_{seconds}"
        program = start_command(sys.executable, "-c", _TRAIN, str(first_line), *flags, "--resume")
        programs.append(program)
        while program.running and not first_line.exists():
            time.sleep(0.01)
        time.sleep(seconds)
        program.signal(signal.SIGINT, whole_group=True)
    for program in programs:
        ended = program.finish()
        assert ended.status == 130, ended
        assert ended.errors.endswith("\nInterrupted.\n"), ended
        assert "Traceback" not in ended.errors


# Python prints what is raised in these, and goes on.
_DEAF = {
    "a destructor": ("type('Thing', (), {'__del__': lose})()", "interrupted", ""),
    "a callback": (
        "thing = Thing(); kept = weakref.ref(thing, lose); del thing",
        "interrupted",
        "",
    ),
    "another error": ("type('Thing', (), {'__del__': fail})()", "went on", "ValueError: as ever"),
}
_PROGRAM = """
import os, signal, sys, time, weakref
sys.argv = ["-m"]
from experiments import start_up
Thing = type("Thing", (), {{}})
def lose(_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
def fail(_):
    raise ValueError("as ever")
start_up.end_in_good_order_when_interrupted()
try:
    {statement}
    if {is_deaf}:
        time.sleep(60)
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(("statement", "output", "error"), _DEAF.values(), ids=_DEAF)
def test_ctrl_c_that_is_lost_where_nobody_can_catch_it_comes_again(
    start_command, statement, output, error
):
    """Other errors there are printed as ever."""
    program = _PROGRAM.format(statement=statement, is_deaf=not error)
    ended = start_command(sys.executable, "-c", program).finish()
    assert (ended.status, ended.output) == (0, f"{output}\n")
    assert error in ended.errors and bool(error) == bool(ended.errors)


@pytest.mark.parametrize("status", [0, 130])
def test_a_program_started_deaf_to_ctrl_c_stays_so(start_command, status):
    """As a shell starts `program &`; what is heard, however, is answered at once."""
    way = "SIG_IGN" if status == 0 else "default_int_handler"
    program = (
        f"import os, signal, sys; signal.signal(signal.SIGINT, signal.{way}); sys.argv = ['-m']; "
        "import experiments; os.kill(os.getpid(), signal.SIGINT)"
    )
    ended = start_command(sys.executable, "-c", program).finish()
    assert (ended.status, ended.errors) == (status, "\nInterrupted.\n" if status else "")


@pytest.mark.parametrize(
    ("encoding", "printed"),
    [("ascii", b"4 \\xb1 2"), ("utf-8", "4 \xb1 2".encode()), ("latin-1", b"4 \xb1 2")],
)
def test_a_letter_that_the_terminal_lacks_is_escaped(monkeypatch, encoding, printed):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    start_up.print_whatever_the_terminal_takes()
    for stream in (sys.stdout, sys.stderr):
        print("4 \xb1 2", end="", file=stream, flush=True)
        assert stream.buffer.getvalue() == printed


def test_without_the_packages_of_the_extra_a_program_ends_with_a_sentence(start_command):
    """Python's -S leaves out all that is installed."""
    for name in ("tff-weights", "my_program.py"):
        program = f"import sys; sys.argv[0] = {name!r}; import experiments"
        ended = start_command(sys.executable, "-S", "-c", program).finish()
        assert (ended.status, ended.output) == (1, "")
        sentence = ended.errors.splitlines()[-1]
        assert "pandas" in sentence and "tff-weights[experiments]" in sentence
        assert ("Traceback" in ended.errors) == (name == "my_program.py")
