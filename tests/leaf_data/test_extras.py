"""Tests of `leaf_data.extras`."""

from __future__ import annotations

import json
import sys

import pytest

from leaf_data import extras


def test_a_package_that_is_there_is_imported():
    assert extras.require("json") is json


def test_of_one_that_is_not_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ijson", None)  # As if it were not installed.
    with pytest.raises(ModuleNotFoundError, match=r"tff-weights\[data\]") as raised:
        extras.require("ijson")
    assert raised.value.name == "ijson"


def test_what_a_package_itself_lacks_is_named_as_it_is(monkeypatch, tmp_path):
    (tmp_path / "package_with_a_need.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError) as raised:
        extras.require("package_with_a_need")
    assert raised.value.name == "no_such_package"
