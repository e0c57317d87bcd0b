"""Every program on the pages runs as it stands there, and prints its result and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from documentation_pages import ROOT, examples

_EXAMPLES = {block.name: block.text for block in examples()}

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


@pytest.fixture(scope="module")
def ends(tmp_path_factory) -> dict[str, tuple[str, str]]:
    """What each example has printed, and its traceback where it failed."""
    folder = tmp_path_factory.mktemp("examples")
    files = {}
    for number, (name, text) in enumerate(_EXAMPLES.items()):
        file = folder / f"example_{number}.py"
        file.write_text(text)
        files[name] = str(file)
    ended = subprocess.run(
        [sys.executable, "-c", _RUN_EACH, json.dumps(files)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=550,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_the_readme_has_its_three_examples():
    assert sum(name.startswith("README.md") for name in _EXAMPLES) == 3


@pytest.mark.parametrize("name", _EXAMPLES)
def test_the_example_runs_as_it_stands(name, ends):
    output, failure = ends[name]
    assert not failure, failure
    assert output.strip()
    assert "nan" not in output
