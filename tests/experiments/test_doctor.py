from __future__ import annotations

import errno
import pathlib

from experiments import doctor
from experiments.doctor import NOTE, WRONG, Finding


def test_all_is_well(run, tmp_path, monkeypatch):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("tensorflow-federated==0.87.0\n")
    data_dir = tmp_path / "data"
    monkeypatch.setenv("TFF_WEIGHTS_DATA_DIR", str(data_dir))
    ended = run("doctor", f"--requirements={requirements}", f"--results_dir={tmp_path / 'results'}")
    assert ended.status == 0, ended
    assert "tensorflow-federated 0.87.0" in ended.output
    assert ended.output.count("answers; the first computation took") == 1
    assert str(data_dir) in ended.output
    assert ended.output.endswith("All is well.\n")
    assert len(ended.output.splitlines()) <= 24
    assert not data_dir.exists()


def test_without_tensorflow_it_says_so_and_ends(start, tmp_path, monkeypatch):
    broken = tmp_path / "tensorflow"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('tensorflow does not fit')\n")
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("numpy==0.1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ended = start("doctor", f"--requirements={requirements}").finish()
    assert ended.status == 1
    assert "ImportError: tensorflow does not fit" in ended.output
    assert "not ==0.1" in ended.output
    assert ended.output.endswith("Something needed is wrong: see above.\n")
    assert "Traceback" not in ended.errors


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


def test_a_file_that_is_none_of_requirements_is_wrong_and_none_at_all_a_note(tmp_path):
    page = tmp_path / "README.md"
    assert doctor.examine_requirements(page).verdict == NOTE
    for content in (b"What it is for:\n\n- experiments\n", b"\xff\xfe"):
        page.write_bytes(content)
        assert doctor.examine_requirements(page).verdict == WRONG


def test_a_folder_may_be_missing_but_must_not_be_closed(tmp_path, monkeypatch):
    assert doctor.examine_folder("results", tmp_path / "a" / "b").verdict != WRONG
    assert list(tmp_path.iterdir()) == []

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(pathlib.Path, "exists", refuse)
    finding = doctor.examine_folder("results", tmp_path / "b")
    assert finding.verdict == WRONG
    assert "Permission denied" in finding.state


def test_notes_do_not_change_the_status(capsys):
    note = Finding("b", "odd", "Look at it.", NOTE)
    wrong = Finding("c", "broken", "Mend it.", WRONG)
    assert (doctor.report([note]), doctor.report([wrong, note])) == (0, 1)
    assert "-> Mend it." in capsys.readouterr().out
