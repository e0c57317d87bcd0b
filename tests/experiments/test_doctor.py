from __future__ import annotations

import errno
import os
import pathlib
import subprocess
import sys

from experiments import doctor
from experiments.doctor import NOTE, WRONG, Finding

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def _run_doctor(*flags: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "experiments.doctor", *flags],
        cwd=_REPOSITORY,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_all_is_well(tmp_path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("tensorflow-federated==0.87.0\n")
    data_dir = tmp_path / "data"
    result = _run_doctor(
        f"--requirements={requirements}",
        f"--results_dir={tmp_path / 'results'}",
        TFF_WEIGHTS_DATA_DIR=str(data_dir),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "tensorflow-federated 0.87.0" in result.stdout
    assert result.stdout.count("answers; the first computation took") == 1
    assert str(data_dir) in result.stdout
    assert result.stdout.endswith("All is well.\n")
    assert len(result.stdout.splitlines()) <= 24
    assert not data_dir.exists()


def test_without_tensorflow_it_says_so_and_ends(tmp_path):
    broken = tmp_path / "tensorflow"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('tensorflow does not fit')\n")
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("numpy==0.1\n")
    result = _run_doctor(f"--requirements={requirements}", PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    assert "ImportError: tensorflow does not fit" in result.stdout
    assert "not ==0.1" in result.stdout
    assert result.stdout.endswith("Something needed is wrong: see above.\n")
    assert "Traceback" not in result.stderr


def test_a_wrong_flag_is_a_sentence_and_status_2():
    result = _run_doctor("--colour=red")
    assert (result.returncode, result.stdout) == (2, "")
    (sentence,) = result.stderr.splitlines()
    assert "colour" in sentence


def test_requirements_are_compared(tmp_path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(
        "# Comment\n"
        "--index-url https://example.org\n"
        "pytest>=1  # met\n"
        "numpy==0.1 \\\n"
        "    --hash=sha256:0\n"
        "no-such-package==1\n"
        "no-such-package==2; python_version < '3'\n"
    )
    finding = doctor.examine_requirements(requirements)
    assert finding.verdict == WRONG
    assert "numpy is " in finding.state and ", not ==0.1; " in finding.state
    assert finding.state.endswith("no-such-package is not installed")
    assert f"-r {requirements}" in finding.remedy


def test_a_missing_requirements_file_is_only_a_note(tmp_path):
    finding = doctor.examine_requirements(tmp_path / "absent.txt")
    assert finding.verdict == NOTE


def test_a_folder_that_does_not_exist_yet_is_fine(tmp_path):
    finding = doctor.examine_folder("results", tmp_path / "a" / "b")
    assert finding.verdict != WRONG
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_none_of_requirements_is_wrong(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("What it is for:\n\n- experiments\n")
    finding = doctor.examine_requirements(page)
    assert finding.verdict == WRONG
    page.write_bytes(b"\xff\xfe")
    finding = doctor.examine_requirements(page)
    assert finding.verdict == WRONG


def test_a_folder_that_may_not_be_entered_is_wrong(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(pathlib.Path, "exists", refuse)
    finding = doctor.examine_folder("results", tmp_path / "b")
    assert finding.verdict == WRONG
    assert "Permission denied" in finding.state


def test_notes_do_not_change_the_status(capsys):
    fine = Finding("a", "as it should be")
    note = Finding("b", "odd", "Look at it.", NOTE)
    wrong = Finding("c", "broken", "Mend it.", WRONG)
    assert doctor.report([fine, note]) == 0
    assert doctor.report([fine, wrong, note]) == 1
    assert "-> Mend it." in capsys.readouterr().out
