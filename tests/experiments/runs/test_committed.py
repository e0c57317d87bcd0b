"""What travels with the software, and how it gets there."""

from __future__ import annotations

import collections
import itertools
import pathlib
import re
import zipfile

import pandas as pd
import pytest
from archives import change
from hypothesis import given
from hypothesis import strategies as st
from made_runs import small_run, train

from experiments.declaration import SCALES
from experiments.papers import catalogue
from experiments.runs import verification
from experiments.runs.committed import ArchivedFile, all_runs, commit_run, committed_run
from experiments.runs.configure import read_run
from experiments.runs.environment import environment, read_environment
from experiments.runs.plan import artifact_runs
from experiments.runs.record import EVALUATION_PREFIX, read_record
from experiments.runs.run_directory import RunDirectory, run_directory, run_name
from experiments.runs.run_folders import RunFolders, find_planned, read_once
from experiments.runs.sweep import SweepOptions
from experiments.start_up import RESULTS_DIR

_RUN = small_run("fed_fa", steps=2)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return train(tmp_path_factory.mktemp("run"), _RUN).directory


def test_a_committed_run_is_the_run_to_the_last_digit(directory, tmp_path):
    record = read_record(directory)
    commit_run(directory, list(record.rounds.columns), tmp_path)
    run = committed_run(_RUN, tmp_path)
    found = read_record(run)
    assert (found.resolved, found.result) == (record.resolved, record.result)
    assert found.seconds == record.seconds
    for table in ("rounds", "clients"):
        pd.testing.assert_frame_equal(
            getattr(found, table), getattr(record, table), check_exact=True
        )
    assert found.data_origin is None  # There is but one source of synthetic data.
    for content, origin in (('{"data_origin": "letters.npz"}', "letters.npz"), ("no JSON", None)):
        change(run.environment, content)
        assert read_record(run).data_origin == origin


def test_a_column_that_is_committed_later_is_there_for_the_same_program(directory, tmp_path):
    """An artifact that needs more columns may be committed after one that has read the run."""
    columns = list(read_record(directory).rounds.columns)
    for kept in (columns[:2], columns):
        run = commit_run(directory, kept, tmp_path)
        assert list(read_once(run).rounds.columns) == kept


def test_an_archive_has_its_files_in_order_and_no_clock(directory, tmp_path):
    with zipfile.ZipFile(commit_run(directory, ("round",), tmp_path).path) as archive:
        infos = archive.infolist()
    names = ("clients", "configuration", "environment", "result", "rounds", "seconds")
    assert tuple(pathlib.PurePath(info.filename).stem for info in infos) == names
    assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}


def test_columns_asked_for_before_stay_but_of_a_damaged_run_nothing(directory, tmp_path):
    """In the order of the run's own table; a damaged one need not be read to be written again."""
    with pytest.raises(ValueError, match="holds no finished run"):
        commit_run(RunDirectory(tmp_path / "none"), ("round",), tmp_path)
    columns = ("round", "evaluation/test_average", "evaluation/test_loss")
    commit_run(directory, columns[::2], tmp_path)
    run = commit_run(directory, columns[:2], tmp_path)
    of_run = read_record(directory).rounds.columns
    assert list(read_record(run).rounds.columns) == [name for name in of_run if name in columns]
    run.path.write_bytes(b"no archive")
    assert not run.is_finished()
    with pytest.raises(ValueError, match=re.escape(str(run.path))):
        read_record(run)
    run = commit_run(directory, ("round",), tmp_path)
    assert run.is_finished()
    assert list(read_record(run).rounds.columns) == ["round"]
    change(run.clients, None)
    assert not run.is_finished()


def test_only_exactly_the_same_configuration_is_found(directory, tmp_path):
    other = _RUN.with_settings(rounds=3)
    assert committed_run(_RUN, tmp_path) is None
    run = commit_run(directory, ("round",), tmp_path)
    assert committed_run(other, tmp_path) is None
    assert committed_run(_RUN, tmp_path) is not None
    # Its name is a digest, which is not the whole configuration.
    change(run.configuration, other.configuration.to_json())
    assert committed_run(_RUN, tmp_path) is None


@pytest.fixture(scope="module")
def archive(directory, tmp_path_factory):
    """What an archive holds, and the texts in it."""
    run = commit_run(directory, ("round",), tmp_path_factory.mktemp("archive"))
    with zipfile.ZipFile(run.path) as opened:
        texts = {name: opened.read(name).decode() for name in opened.namelist()}
    return run.path.read_bytes(), texts


@given(data=st.data())
def test_no_damage_is_read_as_another_text(archive, tmp_path_factory, data):
    """A bit is flipped, or the end is missing."""
    content, texts = archive
    position = data.draw(st.integers(0, len(content) - 1))
    damaged = bytearray(content)
    damaged[position] ^= data.draw(st.sampled_from([1 << bit for bit in range(8)]))
    if data.draw(st.booleans()):
        damaged = content[:position]
    path = tmp_path_factory.mktemp("damaged") / "run.zip"
    path.write_bytes(damaged)
    for name, text in texts.items():
        try:
            read = ArchivedFile(path, name).read_text()
        except ValueError as error:
            assert str(path) in str(error)
        else:
            assert read == text


@pytest.fixture(scope="module")
def resolved_runs():
    """All committed runs with what they are of, which takes seconds to be read."""
    return [(run, read_run(run.configuration.read_text())) for run in all_runs(RESULTS_DIR)]


def test_what_is_committed_is_small_and_lies_where_its_configuration_says(resolved_runs):
    """16 kB a run on average, half a megabyte for any other file, and 50 MB in all."""
    files = [path for path in RESULTS_DIR.rglob("*") if path.is_file()]
    sizes = {path: path.stat().st_size for path in files}
    assert sum(sizes.values()) <= 50_000_000
    of_runs = [sizes.pop(run.path) for run, _ in resolved_runs]
    assert 0 < sum(of_runs) <= 16_000 * len(of_runs)
    assert max(sizes.values()) <= 500_000
    for run, resolved in resolved_runs:
        assert run.name == run_name(resolved)
        assert run.is_finished()


def test_every_committed_artifact_has_a_whole_seed_of_committed_runs():
    """By the names of its runs; those whose steps another one decides are not known before.

    Where settings are chosen, it has whole data sets, and nothing of the others.
    """
    there, find = {run.name for run in all_runs(RESULTS_DIR)}, RunFolders(()).find
    seeds = RunFolders(()).seeds()

    def is_there(run):
        if run.candidates:
            return find_planned(run, find) is not None
        return run.step_budget_of is not None or run_name(run.resolved) in there

    num_committed = 0
    for artifact in catalogue.artifacts().values():
        folders = {scale: RESULTS_DIR / artifact.folder(scale) for scale in SCALES}
        scales = [scale for scale, folder in folders.items() if folder.is_dir()]
        num_committed += bool(scales)
        whole = []
        # Each seed has the same candidates, which are made once for all of them.
        together = [seeds] if artifact.tuning else [(seed,) for seed in seeds]
        for scale, some in itertools.product(scales, together):
            if any(whole) and artifact.tuning is None:
                break  # One is enough.
            parts = collections.defaultdict(list)
            for run in artifact_runs(artifact, scale, some):
                parts[run.seed, run.dataset if run.candidates else ""].append(is_there(run))
            whole += map(all, parts.values())
            assert artifact.tuning is None or all(len({*each}) == 1 for each in parts.values())
        assert any(whole) or not scales, artifact.name
    assert num_committed > 60


def test_a_small_committed_run_comes_out_again_to_the_last_digit(resolved_runs, tmp_path):
    generated = [
        (resolved.configuration.rounds, resolved.configuration.to_json(), run)
        for run, resolved in resolved_runs
        if resolved.configuration.dataset.startswith("synthetic")
        and read_environment(run.environment).get("processor")
    ]
    *_, run = min(generated, key=lambda each: each[:2])
    chosen = verification.choose(RESULTS_DIR, patterns=[run.name], other_processors=True)
    assert {"round", EVALUATION_PREFIX + "test_average"} <= set(chosen[0][1].rounds.columns)
    ((_, is_equal, said),) = verification.verify(chosen, SweepOptions(runs_dir=tmp_path))
    # Another kind of processor may change the last digits.
    again = read_record(run_directory(tmp_path, chosen[0][1].resolved))
    apart = verification.differences(again, chosen[0][1])
    is_here = read_environment(run.environment)["processor"] == environment()["processor"]
    assert is_equal if is_here else all(each.relative < 1e-4 for each in apart), said
