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


def test_a_setting_has_the_type_of_its_default_or_of_its_text():
    given = ("alpha=1", "steps=-2", "audit=Yes", "by=a=b", "clip=2", "power=none", "rate=1")
    expected = (1.0, -2, True, "a=b", 2, "none", 1.0)
    assert list(map(repr, _parse(*given).values())) == list(map(repr, expected))
    assert _parse("clip=2e-1") == {"clip": 0.2}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["alpha"], "hyperparameter is 'alpha'; it must be name=value, and toy has alpha, steps"),
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
