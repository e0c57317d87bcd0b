"""Every command on the pages is one that there is: programs, flags, names and targets."""

from __future__ import annotations

import re

from documentation_pages import ROOT, commands, modules

from benchmarks.groups import chosen
from experiments.runs.configure import configure

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
_RUN = configure("fed_fa", "synthetic_1_1", {})


def test_the_programs_take_the_flags_and_names_of_their_commands(run_python, tmp_path, monkeypatch):
    """Files of runs that are not there are replaced by one that is, or left out."""
    for file, text in modules().items():
        (tmp_path / file).write_text(text)
    (tmp_path / "configuration.json").write_text(_RUN.configuration.to_json())
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    given = {
        tuple(words[2:]): where for where, words in commands() if words[:2] == ["python", "-m"]
    }
    assert len({module for module, *_ in given}) >= 8
    for (module, *flags), where in given.items():
        assert module.split(".")[0] in ("benchmarks", "experiments"), where
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
