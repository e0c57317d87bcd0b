from __future__ import annotations

import json
import subprocess
from importlib import metadata

import pytest

from experiments.runs import revision as module
from experiments.runs.environment import environment


@pytest.fixture(autouse=True)
def forget():
    """What is asked once is not asked again."""
    module.revision.cache_clear()
    yield
    module.revision.cache_clear()


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The folder in which the software lies."""
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    return tmp_path


def _git(root, *arguments):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(root), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(root):
    """A checkout with one module of the software's and a page."""
    (root / "tff_weights" / "weightings").mkdir(parents=True)
    (root / "tff_weights" / "weightings" / "uniform.py").write_text("")
    (root / "README.md").write_text("")
    _git(root, "init", "--quiet")
    _git(root, "add", ".")
    _git(root, "commit", "--quiet", "--message=First")
    return root


def test_a_checkout_is_named_by_its_commit(checkout):
    commit = _git(checkout, "rev-parse", "HEAD")
    assert len(commit) == 40
    assert module.revision() == environment()["revision"] == commit


@pytest.mark.parametrize("name", ["weightings/uniform.py", "weightings/new.py", "new.py"])
def test_sources_that_differ_from_the_commit_are_said(checkout, name):
    (checkout / "tff_weights" / name).write_text("changed = True\n")
    assert module.revision() == f"{_git(checkout, 'rev-parse', 'HEAD')} with changes"


def test_what_is_no_source_changes_no_number(checkout):
    (checkout / "README.md").write_text("Another word.\n")
    (checkout / "experiments").mkdir()
    (checkout / "experiments" / "notes.txt").touch()
    assert module.revision() == _git(checkout, "rev-parse", "HEAD")


def test_it_is_that_of_the_programs_start(checkout):
    commit = module.revision()
    (checkout / "tff_weights" / "weightings" / "uniform.py").write_text("changed = True\n")
    assert module.revision() == commit


@pytest.mark.parametrize("path", ["nowhere", None])
def test_without_git_or_a_commit_nothing_is_said(root, monkeypatch, path):
    _git(root, "init", "--quiet")
    if path is not None:
        monkeypatch.setenv("PATH", str(root / path))
    assert module.revision() is None


class _Distribution:
    def __init__(self, text):
        self._text = text

    def read_text(self, name):
        assert name == "direct_url.json"
        return self._text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps({"vcs_info": {"vcs": "git", "commit_id": "1" * 40}}), "1" * 40),
        (json.dumps({"dir_info": {"editable": True}}), None),
        (None, None),
    ],
)
def test_a_package_installed_from_a_repository_knows_its_commit(root, monkeypatch, text, found):
    monkeypatch.setattr(metadata, "distribution", lambda name: _Distribution(text))
    assert module.revision() == found


def test_a_package_that_is_not_installed_has_none(root, monkeypatch):
    monkeypatch.setattr(module, "_DISTRIBUTION", "not-installed-anywhere")
    assert module.revision() is None
