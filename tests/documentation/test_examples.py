"""Every program on the pages runs as it stands there, and prints its result and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from documentation_pages import ROOT, Block, examples, modules, notebooks

# What takes seconds each.
_LONG_PAGES = (
    "docs/how_to/model.md",
    "docs/how_to/pipeline.md",
    "docs/how_to/trained.md",
    "docs/notebooks/",
)
_ALL = {block.name: block for block in (*examples(), *notebooks())}
_LONG = {name: block for name, block in _ALL.items() if name.startswith(_LONG_PAGES)}
_SHORT = {name: block for name, block in _ALL.items() if name not in _LONG}

# Matplotlib shows nothing with this backend, and says nothing of it.
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "MPLBACKEND": "template"}
# In one process, since nearly all the time of such a program goes into its imports.
_RUN_EACH = """
import contextlib, io, json, runpy, sys, traceback
ends = {}
for name, file in json.loads(sys.argv[1]).items():
    output, failure = io.StringIO(), ""
    with contextlib.redirect_stdout(output):
        try:
            runpy.run_path(file, run_name="__main__")
        except BaseException:
            failure = traceback.format_exc()
    ends[name] = (output.getvalue(), failure)
json.dump(ends, sys.stdout)
"""


def _run_each(blocks: dict[str, Block], folder) -> tuple[dict[str, tuple[str, str]], str]:
    """The output of each, with its traceback where it failed, and the standard error of all."""
    files = {}
    for number, (name, block) in enumerate(blocks.items()):
        file = folder / f"example_{number}.py"
        file.write_text(block.text)
        files[name] = str(file)
    ended = subprocess.run(
        [sys.executable, "-c", _RUN_EACH, json.dumps(files)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **_QUIET},
        capture_output=True,
        text=True,
        timeout=550,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout), ended.stderr


def _check(blocks: dict[str, Block], folder) -> str:
    """Checks the outputs, which only modules may lack; returns what went to standard error."""
    ends, said = _run_each(blocks, folder)
    for name, (output, failure) in ends.items():
        assert not failure, (name, failure)
        assert output.strip() or blocks[name].text in modules().values(), name
        assert "nan" not in output, (name, output)
    return said


def test_the_examples_run_as_they_stand_and_print_no_log(tmp_path):
    assert sum(name.startswith("README.md") for name in _SHORT) == 3
    assert _check(_SHORT, tmp_path) == ""


@pytest.mark.long
def test_the_long_examples_run_as_they_stand(tmp_path):
    assert len(_LONG) == 7 + 3
    _check(_LONG, tmp_path)
