"""Tests of `leaf_data.data_dir`."""

from __future__ import annotations

import pathlib

import pytest

from leaf_data.data_dir import default_data_dir, resolve_data_dir


def test_the_variable_comes_first(monkeypatch):
    monkeypatch.setenv("TFF_WEIGHTS_DATA_DIR", "~/somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert default_data_dir() == pathlib.Path.home() / "somewhere"


def test_then_the_users_cache(monkeypatch):
    monkeypatch.setenv("TFF_WEIGHTS_DATA_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert default_data_dir() == pathlib.Path("/cache/tff-weights")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_data_dir() == pathlib.Path.home() / ".cache" / "tff-weights"


def test_an_argument_overrides(monkeypatch):
    monkeypatch.setenv("TFF_WEIGHTS_DATA_DIR", "/elsewhere")
    assert resolve_data_dir(None) == pathlib.Path("/elsewhere")
    assert resolve_data_dir("~/here") == pathlib.Path.home() / "here"
    with pytest.raises(ValueError, match="data_dir is ''"):
        resolve_data_dir("")
