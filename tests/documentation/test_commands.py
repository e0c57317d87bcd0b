"""Every command on the pages is one that there is: programs, flags, names and targets."""

from __future__ import annotations

import re
import sys

import pytest
from documentation_pages import ROOT, blocks, commands, modules

from benchmarks.groups import chosen
from experiments.runs.configure import configure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Languages of blocks, each looked at by a test: programs, commands, settings, pictures and output.
_LANGUAGES = {"bibtex", "python", "console", "toml", "text"}
# What is not ours; that these commands do what the pages say was tried by hand.
_OTHERS = {".", "cd", "docker", "export", "git", "pip", "python3.11", "ray", "tensorboard", "uv"}
_REQUIREMENTS = (ROOT / "requirements.txt").read_text().splitlines()

# A program that ends once it has read its flags.
_READ_FLAGS = """
import runpy, sys
from absl import app
app.run = lambda main, flags_parser: flags_parser(sys.argv)
name = sys.argv.pop(1)
try:
    runpy.run_module(name, run_name="__main__", alter_sys=True)
except AssertionError as error:
    assert "does not return" in str(error)
"""
_CONFIGURATION = configure("fed_fa", "synthetic_1_1", {})
# What has to be found out, in each of the ways that there are.
_WRONG = {
    ("experiments.train", "--algorithm=fed_fa", "--output_dir=x", "--round=3"): "round",
    ("experiments.train", "--algorithm=fed_fo", "--output_dir=x"): "fed_fo",
    ("experiments.compare", "--algorithms=fed_avg,fed_fa:alpa=1"): "alpa",
    ("experiments.reproduce", "--artifact=fedfa/table9"): "fedfa/table9",
}


def test_no_block_is_of_a_kind_that_no_test_looks_at():
    assert {block.language for block in blocks()} <= _LANGUAGES


@pytest.mark.parametrize("command", _WRONG, ids=" ".join)
def test_what_is_wrong_is_found_out(run_python, command):
    ended = run_python(_READ_FLAGS, *command)
    assert ended.status == 2 and _WRONG[command] in ended.errors, ended


def test_the_programs_take_the_flags_and_names_of_their_commands(run_python, tmp_path, monkeypatch):
    """Files of runs that are not there are replaced by one that is, or left out."""
    for file, text in modules().items():
        (tmp_path / file).write_text(text)
    (tmp_path / "configuration.json").write_text(_CONFIGURATION.to_json())
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    given = {
        tuple(words[2:]): where for where, words in commands() if words[:2] == ["python", "-m"]
    }
    assert len({module for module, *_ in given}) >= 8
    for (module, *flags), where in given.items():
        assert module == "benchmarks" or module.startswith("experiments."), where
        flags = [
            re.sub("^--configuration=.*", f"--configuration={tmp_path}", flag)
            for flag in flags
            if not flag.startswith("--step_budget_of=")
        ]
        for flag in flags:
            if module == "benchmarks" and flag.startswith("--case="):
                chosen(flag.partition("=")[2].split(","))
        ended = run_python(_READ_FLAGS, module, *flags)
        assert ended.status == 0, (where, flags, ended)


def test_no_command_is_unknown():
    makefile = (ROOT / "Makefile").read_text()
    for where, words in commands():
        if words[0] == "make":
            for target in words[1:]:
                assert re.search(rf"^{re.escape(target)}\b.*:", makefile, re.MULTILINE), where
        else:
            assert words[:2] == ["python", "-m"] or words[0] in _OTHERS, where
        for word in words:  # A version is the one of the list, and a file of the clone is there.
            if re.fullmatch(r"[a-z]+==[\d.]+", word):
                assert word in _REQUIREMENTS, where
            if word.startswith("tff-weights/"):
                assert (ROOT / word.removeprefix("tff-weights/")).exists(), where


def test_settings_are_toml_and_name_the_versions_of_the_list():
    for block in blocks():
        if block.language == "toml":
            tool = tomllib.loads(block.text).get("tool", {})
            for requirement in tool.get("uv", {}).get("override-dependencies", ()):
                assert requirement in _REQUIREMENTS, block.name
