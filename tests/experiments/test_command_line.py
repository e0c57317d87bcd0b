from __future__ import annotations

import pytest

from experiments import command_line


@pytest.mark.parametrize("error", [ValueError("no good"), FileNotFoundError("no good.")])
def test_bad_input_ends_the_program_with_a_sentence(capsys, monkeypatch, error):
    monkeypatch.setattr("sys.argv", ["/somewhere/train.py"])
    with pytest.raises(SystemExit) as ended, command_line.bad_input_ends_the_program():
        raise error
    assert ended.value.code == 2
    assert capsys.readouterr().err == "train.py: no good.\n"


def test_faults_of_the_program_pass_through():
    with pytest.raises(TypeError), command_line.bad_input_ends_the_program():
        raise TypeError("a fault")
