"""An option of a run is one field: the programs, the files and the names of runs follow."""

from __future__ import annotations

import json

from experiments.runs.configure import configure
from experiments.runs.run_directory import run_name

# The one edit, and the program that is run with it.
_WITH_PATIENCE = """
import dataclasses, json, sys
for name in [name for name in sys.modules if name.partition(".")[0] == "experiments"]:
    del sys.modules[name]  # Which have read the configuration's fields.
from experiments.runs import configuration
from experiments.runs.options import option

@dataclasses.dataclass(frozen=True)
class WithPatience(configuration.RunConfiguration):
    patience: int = option("How long to wait.", 3, least=2, of_a_method=True, of_a_budget=True)

configuration.RunConfiguration = WithPatience
"""
_TRAIN = """
from absl import flags
from experiments import train, usage
from experiments.command_line import methods
from experiments.runs.configure import read_run
from experiments.runs.run_directory import run_name
from experiments.runs.step_budget import shared_settings
from tff_weights import runtime

def read(*arguments):
    flags.FLAGS(["train", "--algorithm=fed_avg", "--output_dir=x", "--rounds=1", *arguments])
    return train.read_flags()

runtime.use()  # TFF's own context would print a traceback at the end.
sys.argv[0] = train.__name__
default, given = read(), read("--patience=4")
text = given.configuration.to_json()
try:
    read("--patience=1")
except flags.IllegalFlagValueError as error:
    refused = str(error)
json.dump(
    {
        "help": usage.text(""),
        "json": json.loads(text)["patience"],
        "again": read_run(text) == given != default,
        "names": [run_name(default), run_name(given)],
        "method": methods.parse(["fed_avg:patience=7"]),
        "budget": shared_settings(given.configuration)["patience"],
        "refused": refused,
    },
    sys.stdout,
)
"""


def test_one_field_is_a_flag_its_help_json_a_setting_of_methods_and_part_of_the_name(run_python):
    """With the default it changes no name, as that of a run from before there was the option."""
    ended = run_python(_WITH_PATIENCE + _TRAIN)
    assert (ended.status, ended.errors) == (0, "")
    found = json.loads(ended.output)
    topic = found["help"].partition("Rounds and local training:")[2].partition("Seeds:")[0]
    assert "--patience\n        How long to wait. By default" in topic
    assert (found["json"], found["again"], found["budget"]) == (4, True, 4)
    assert found["method"] == {"fed_avg, patience = 7": ["fed_avg", {"patience": 7}]}
    before = run_name(configure("fed_avg", "synthetic_1_1", {"rounds": 1}))
    assert found["names"][0] == before != found["names"][1]
    assert "patience" in found["refused"]
