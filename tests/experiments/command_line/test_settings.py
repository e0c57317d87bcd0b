from __future__ import annotations

import inspect

import pytest

from experiments.command_line import settings
from experiments.declaration import Argument

_DEFAULTS = {
    "alpha": 0.5,
    "steps": 3,
    "audit": False,
    "by": "entropy",
    "clip": None,
    "power": inspect.Parameter.empty,
}
_KNOWN = {
    **{name: Argument(name, default, None, "") for name, default in _DEFAULTS.items()},
    "rate": Argument("rate", None, float, ""),
}


def _parse(*given):
    return settings.parse("hyperparameter", given, _KNOWN, owner="toy")


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("alpha=1", 1.0),
        ("steps=-2", -2),
        ("audit=Yes", True),
        ("by=a=b", "a=b"),
        ("clip=2", 2),
        ("clip=2e-1", 0.2),
        ("power=none", "none"),
        ("rate=1", 1.0),
    ],
)
def test_a_setting_has_the_type_of_its_default_or_of_its_text(given, value):
    (parsed,) = _parse(given).values()
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["alpha"], "hyperparameter is 'alpha'; it must be name=value, and toy has alpha, steps"),
        (["gamma=1"], "hyperparameter is 'gamma=1'; it must be name=value"),
        (["steps=1", "steps=1"], "hyperparameter steps is given twice"),
        (["steps=0.5"], "hyperparameter steps is '0.5'; it must be an integer, as its default 3"),
        (["alpha=inf"], "alpha is 'inf'; it must be a finite number, as its default 0.5 is"),
        (["power=nan"], "hyperparameter power is 'nan'; it must be a finite number$"),
        (["audit=1"], "audit is '1'; it must be yes or no, as its default False is"),
    ],
)
def test_bad_settings_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        _parse(*given)
