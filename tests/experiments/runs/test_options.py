"""An option of a run is one field: everything else is made from it."""

from __future__ import annotations

import dataclasses
import json

import pytest
from absl import flags

from experiments import usage
from experiments.command_line import methods, setting_flags
from experiments.runs import configuration as module
from experiments.runs.configuration import RunConfiguration
from experiments.runs.options import TRAINING, option, options
from experiments.runs.step_budget import shared_settings


@dataclasses.dataclass(frozen=True)
class _WithPatience(RunConfiguration):
    patience: int = option(
        int, "How long to wait.", default=3, least=2, of_a_method=True, of_a_budget=True
    )


@pytest.fixture
def with_patience(monkeypatch):
    for owner in (module, methods, usage):
        monkeypatch.setattr(owner, "RunConfiguration", _WithPatience)
    return _WithPatience("fed_avg", "synthetic_1_1", 0.1, patience=5)


def test_it_is_a_flag_with_its_range_and_in_the_help(with_patience, monkeypatch):
    values = flags.FlagValues()
    monkeypatch.setattr(flags, "FLAGS", values)
    for define in ("DEFINE_integer", "DEFINE_float", "DEFINE_string", "DEFINE_enum"):
        original = getattr(flags, define)
        monkeypatch.setattr(
            flags, define, lambda *a, _f=original, **k: _f(*a, **k, flag_values=values)
        )
    monkeypatch.setattr(setting_flags, "_defined", {})
    for name, said in options(_WithPatience).items():
        setting_flags.define_one(name, said)
    values(["program", "--patience=4"])
    assert values["patience"].value == 4
    with pytest.raises(flags.IllegalFlagValueError, match="patience"):
        values(["program", "--patience=1"])
    assert options(_WithPatience)["patience"].topic == TRAINING
    assert "3" in values["patience"].help


def test_methods_of_compare_have_it(with_patience):
    found = methods.parse(["fed_avg:patience=7"])
    assert found == {"fed_avg, patience = 7": ("fed_avg", {"patience": 7})}


def test_json_and_the_check_of_its_range_have_it(with_patience):
    text = with_patience.to_json()
    assert json.loads(text)["patience"] == 5
    assert _WithPatience.from_json(text) == with_patience
    with pytest.raises(ValueError, match="patience"):
        dataclasses.replace(with_patience, patience=1)


def test_runs_with_one_step_budget_share_it(with_patience):
    assert shared_settings(with_patience)["patience"] == 5
