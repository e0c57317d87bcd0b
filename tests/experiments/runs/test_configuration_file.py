"""A configuration that a user gives as a file: JSON, TOML, a run's folder or its archive."""

from __future__ import annotations

import json
import zipfile

import pytest

from experiments.command_line.run_flags import read_given
from experiments.runs.configure import configure

_RUN = configure("fed_fa", "synthetic_1_1", {"rounds": 3, "alpha": 0.25, "beta": 0.75})


def test_what_a_run_wrote_is_read_in_every_form_and_some_fields_of_toml(tmp_path):
    text = _RUN.configuration.to_json()
    (tmp_path / "configuration.json").write_text(text)
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr("configuration.json", text)
    for path in (tmp_path, tmp_path / "configuration.json", tmp_path / "run.zip"):
        assert {"schema": 1, **read_given(path)} == json.loads(text)
    (tmp_path / "mine.toml").write_text("steps = 5\n[hyperparameters]\nalpha = 0.25\n")
    assert read_given(tmp_path / "mine.toml") == {"steps": 5, "hyperparameters": {"alpha": 0.25}}


_SEEDS = ('{"seeds": 3}', '{"seeds": {"dada": 3}}')


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"turns": 3}', '{"schema": 2}', '{"algorithm": 3}', *_SEEDS]
)
def test_what_is_no_configuration_is_refused_and_named(tmp_path, text):
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(ValueError, match="bad.json"):
        read_given(file)


def test_a_damaged_archive_is_named(tmp_path):
    (tmp_path / "bad.zip").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="bad.zip"):
        read_given(tmp_path / "bad.zip")
