"""What others install: the wheel and the source distribution, and what is in them."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from documentation_pages import ROOT, examples, requirements_of

_PACKAGES = ("experiments", "leaf_data", "tff_weights")
_MOST_BYTES = 1_000_000
_NOT_COPIED = re.compile(r"\..*|build|dist|results|.*\.egg-info|__pycache__")


def _ignored(folder: str, names: list[str]) -> list[str]:
    """Committed results are copied, to see that they are left out; runs below the root are not."""
    is_package = pathlib.Path(folder) != ROOT
    return [n for n in names if _NOT_COPIED.fullmatch(n) and not (is_package and n == "results")]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> pathlib.Path:
    """The folder of both, built from a copy, so that nothing is left here."""
    folder = tmp_path_factory.mktemp("distributions")
    shutil.copytree(ROOT, folder / "source", ignore=_ignored)
    for kind in ("wheel", "sdist"):
        built = subprocess.run(
            [sys.executable, "-c", f"import setuptools.build_meta as m; m.build_{kind}('..')"],
            cwd=folder / "source",
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.long
def test_wheel_and_source_have_all_modules_and_nothing_but_the_packages(distributions):
    (wheel,) = distributions.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {*_PACKAGES}
    for package in _PACKAGES:
        modules = {str(path.relative_to(ROOT)) for path in (ROOT / package).rglob("*.py")}
        assert modules | {f"{package}/py.typed"} <= names
    of_papers = (ROOT / "experiments/papers").glob("*/*.*")
    assert {str(path.relative_to(ROOT)) for path in of_papers} <= names
    results = [name for name in names if name.startswith("experiments/results/")]
    assert results == ["experiments/results/__init__.py"]
    assert not [name for name in names if name.endswith((".npz", ".sqlite", ".zip", ".parquet"))]
    assert wheel.stat().st_size < _MOST_BYTES
    (source,) = distributions.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "requirements.txt"}
    assert needed | {"pyproject.toml", "tff_weights/algorithms/fed_fa.py"} <= names
    unwanted = ("tests", "docs", "benchmarks", "experiments/results/runs")
    assert not [name for name in names if name.startswith(unwanted)]


_ALONE = """
import leaf_data
from tff_weights import runtime

runtime.use(runtime.ProgramOptions())
failures = {}
for name, needs in {
    "pandas": lambda: leaf_data.from_frame(None, client="client", label="label"),
    "ijson": lambda: leaf_data.read_leaf_json("."),
    "tensorflow_datasets": lambda: leaf_data.load_task("mnist", data_dir="."),
    "ray": lambda: runtime.use(runtime.ClusterOptions(workers=1)),
}.items():
    try:
        needs()
    except ModuleNotFoundError as error:
        assert error.name == name, error
    else:
        raise AssertionError(f"{name} is there")
"""


@pytest.mark.long
def test_the_library_runs_with_its_own_dependencies_alone(distributions, tmp_path):
    """In an environment of its own: README's first example; other data names what it lacks."""
    python = str(tmp_path / "venv" / "bin" / "python")
    (tmp_path / "exact.txt").write_text("\n".join(requirements_of("The library")))
    build = [each for each in requirements_of("To test") if re.match("(setuptools|wheel)==", each)]
    install = [python, "-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation"]
    readme = (block.text for block in examples() if block.name.startswith("README.md"))
    example = next(text for text in readme if "build_fed_fa" in text)
    for command in (
        [sys.executable, "-m", "venv", str(tmp_path / "venv")],
        [*install, *build],
        [*install, "-r", str(tmp_path / "exact.txt"), *map(str, distributions.glob("*.whl"))],
        [python, "-c", example],
        [python, "-c", _ALONE],
    ):
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1000)
        assert ended.returncode == 0, ended.stderr
    refused = subprocess.run(
        [str(tmp_path / "venv" / "bin" / "tff-weights"), "train"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "pip install 'tff-weights[experiments]'" in refused.stderr


def test_the_version_is_the_same_wherever_it_stands():
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {version[1]} – " in (ROOT / "CHANGELOG.md").read_text()
