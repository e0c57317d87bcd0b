import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def test_the_readme_has_its_examples():
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize("example", EXAMPLES, ids=["pipeline", "own_weighting"])
def test_the_example_runs_as_it_stands(example, tmp_path):
    program = tmp_path / "example.py"
    program.write_text(example)
    ended = subprocess.run(
        [sys.executable, str(program)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    assert "nan" not in ended.stdout
    assert ended.stdout.strip()
