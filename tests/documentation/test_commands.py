"""Every command on the pages is one that there is: programs, flags, names and targets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

from documentation_pages import ROOT, blocks, commands, modules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Languages of blocks, each looked at by a test: programs, commands, settings, pictures and output.
_LANGUAGES = {"bibtex", "python", "console", "toml", "text"}
# What is not ours; that these commands do what the pages say was tried by hand.
_OTHERS = {".", "cd", "docker", "export", "git", "pip", "python3.11", "ray", "tensorboard", "uv"}
_REQUIREMENTS = (ROOT / "requirements.txt").read_text().splitlines()

# Reads the flags of one program after the other in one process: nearly all the time goes into
# importing TensorFlow. What a program has defined is forgotten before the next one, which may
# have flags of the same names.
_READ_EACH = """
import importlib, json, sys
import experiments
from absl import flags

def forget():
    for module, of_module in dict(flags.FLAGS.flags_by_module_dict()).items():
        if module.startswith(("experiments", "benchmarks")):
            for flag in list(of_module):
                delattr(flags.FLAGS, flag.name)
    # With the modules of the pages, which have imported from them.
    forgotten = ("experiments.", "benchmarks.", "my_")
    for module in [name for name in sys.modules if name.startswith(forgotten)]:
        del sys.modules[module]

def check(name, arguments):
    values = flags.FLAGS
    values.unparse_flags()
    for flag in list(values):
        values[flag].unparse()
    values.set_gnu_getopt()
    rest = values([name, *arguments])
    taken = 1 if name == "export" else 0  # The run's folder.
    assert len(rest) <= 1 + taken, f"not a flag: {rest[1:]}"
    from experiments.papers import catalogue
    if "papers" in values:
        catalogue.add(values.papers)
    if name == "train":
        from experiments.command_line import run_flags
        values.step_budget_of = None  # The folder of a run that is not there.
        if values.configuration is None:  # Nor is that one.
            run_flags.run_configuration()
    elif name == "reproduce":
        if values.artifact is not None:
            catalogue.select_artifacts(values.artifact)
    elif name == "compare":
        from experiments.command_line import methods
        methods.parse(values.algorithms)
    elif name == "benchmarks.__main__":
        from benchmarks.groups import chosen
        chosen(values.case)
    elif "algorithm" in values and values.algorithm is not None:
        catalogue.algorithm(values.algorithm)

faults = []
for name, cases in json.loads(sys.argv[1]).items():
    forget()
    importlib.import_module(name if "." in name else f"experiments.{name}")
    for where, arguments in cases:
        try:
            check(name, arguments)
        except Exception as error:
            faults.append(f"{where}: {name} {' '.join(arguments)}: {error}")
json.dump(faults, sys.stdout)
"""


def _read_each(programs: dict[str, list[tuple[str, list[str]]]], folder) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-c", _READ_EACH, json.dumps(programs)],
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": f"{ROOT}:{folder}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_no_block_is_of_a_kind_that_no_test_looks_at():
    assert {block.language for block in blocks()} <= _LANGUAGES


def test_the_programs_take_the_flags_and_names_of_their_commands(tmp_path):
    for file, text in modules().items():
        (tmp_path / file).write_text(text)
    programs: dict[str, list[tuple[str, list[str]]]] = {
        # What has to be found out, in each of the ways that there are.
        "train": [
            ("no such flag", ["--algorithm=fed_fa", "--output_dir=x", "--round=3"]),
            ("no such algorithm", ["--algorithm=fed_fo", "--output_dir=x"]),
        ],
        "reproduce": [("no such artifact", ["--artifact=fedfa/table9"])],
        "compare": [("no such method", ["--algorithms=fed_avg,fed_fa:alpa=1"])],
        "benchmarks.__main__": [("no such case", ["--case=builders/mlp"])],
    }
    must_fail = [where for cases in programs.values() for where, _ in cases]
    for where, words in commands():
        if words[:2] == ["python", "-m"]:
            if words[2] == "benchmarks":
                name = "benchmarks.__main__"
            else:
                package, _, name = words[2].partition(".")
                assert package == "experiments", (where, words)
            programs.setdefault(name, []).append((where, words[3:]))
    assert len(programs) >= 8
    faults = _read_each(programs, tmp_path)
    assert sorted(fault.partition(":")[0] for fault in faults) == sorted(must_fail), faults


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
