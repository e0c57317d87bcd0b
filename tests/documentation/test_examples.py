"""Every program on the pages runs as it stands there, and prints its result and nothing else."""

from __future__ import annotations

import pytest
from documentation_pages import Block, examples, modules, notebooks

# What takes seconds each.
_LONG_PAGES = (
    "docs/how_to/data.md",
    "docs/how_to/model.md",
    "docs/how_to/pipeline.md",
    "docs/how_to/results.md",
    "docs/how_to/trained.md",
    "docs/notebooks/",
)
_ALL = {block.name: block for block in (*examples(), *notebooks())}
_LONG = {name: block for name, block in _ALL.items() if name.startswith(_LONG_PAGES)}
_SHORT = {name: block for name, block in _ALL.items() if name not in _LONG}

# Matplotlib shows nothing with this backend, and says nothing of it.
_RUN = """
import os, runpy, sys
os.environ["MPLBACKEND"] = "template"
os.chdir(os.path.dirname(sys.argv[1]))
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def _check(run_python, blocks: dict[str, Block], folder) -> str:
    """Checks the outputs, which only modules may lack; returns what went to standard error."""
    said = ""
    for number, (name, block) in enumerate(blocks.items()):
        file = folder / f"example_{number}.py"
        file.write_text(block.text)
        ended = run_python(_RUN, str(file))
        assert ended.status == 0, (name, ended)
        assert ended.output.strip() or block.text in modules().values(), name
        assert "nan" not in ended.output, (name, ended)
        said += ended.errors
    return said


def test_the_examples_run_as_they_stand_and_print_no_log(run_python, tmp_path):
    assert sum(name.startswith("README.md") for name in _SHORT) >= 3
    assert _check(run_python, _SHORT, tmp_path) == ""


@pytest.mark.long
def test_the_long_examples_run_as_they_stand(run_python, tmp_path):
    assert len(_LONG) >= 15
    _check(run_python, _LONG, tmp_path)
