"""LEAF's JSON from people who mean no good: ids that are paths, labels that are none, and pipes."""

from __future__ import annotations

import csv
import json
import os

import pytest

_IDS = (
    "../../escaped",
    "/etc/absolute",
    "..",
    "a" * 300,
    "\U0001f4a5\u202e id",
    "Case",
    "case",
    'with,comma "quotes"\nand a line',
    "nul\x00byte",
    "<script>alert(1)</script>",
    "=1+1",
    "",
)


_VARIATES = ("scaffold", "trained_alone")


def _write(folder, train, test=None):
    """From ids to labels; the features are two numbers."""
    for split, clients in (("train", train), ("test", train if test is None else test)):
        (folder / split).mkdir(parents=True, exist_ok=True)
        document = {
            "users": list(clients),
            "num_samples": [len(labels) for labels in clients.values()],
            "user_data": {
                client: {"x": [[0.5, -number] for number in range(len(labels))], "y": labels}
                for client, labels in clients.items()
            },
        }
        (folder / split / "data.json").write_text(json.dumps(document))
    return folder


def _flags(leaf, output, algorithm="fed_avg"):
    return (
        *(f"--algorithm={algorithm}", "--dataset=leaf", f"--leaf_dir={leaf}"),
        *(f"--output_dir={output}", "--rounds=8", "--steps=2", "--learning_rate=0.1"),
        "--clients_per_round=1",
    )


def _pipe(folder):
    (folder / "train").mkdir(parents=True)
    os.mkfifo(folder / "train" / "data.json")
    return folder


_REFUSED = {
    "huge": "client 'b', field 'y': has the label 1000000000",
    "large": "client 'a', field 'y': has the label 100000000",
    "negative": "label -1",
    "untested": "no client has a test example",
    "pipe": "data.json: cannot be read (it is no file)",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Deep enough that `../..` does not lead out of it."""
    return tmp_path_factory.mktemp("hostile") / "inner" / "deep"


@pytest.fixture
def ends(run_each, folder):
    """How the program ended with each data set, all in one process."""
    hostile = {client: [0, 1, 1] for client in _IDS}
    leaves = {
        "scaffold": _write(folder / "scaffold", hostile),
        "trained_alone": _write(folder / "trained_alone", hostile),
        "hundred": _write(folder / "hundred", {"a": [0, 99], "b": [1, 2]}),
        "huge": _write(folder / "huge", {"a": [0, 1], "b": [0, 10**9]}),
        "large": _write(folder / "large", {"a": [0, 10**8]}),
        "negative": _write(folder / "negative", {"a": [0, -1]}),
        "untested": _write(folder / "untested", {"a": [0, 1]}, {"a": []}),
        "pipe": _pipe(folder / "pipe"),
    }
    cases = [
        _flags(leaf, folder / f"{name}_run", name if name in _VARIATES else "fed_avg")
        for name, leaf in leaves.items()
    ]
    return dict(zip(leaves, run_each("train", cases)))


@pytest.mark.long
def test_they_lead_nowhere(ends, folder):
    """What is no data set of classes is refused before anything is made."""
    for name, word in _REFUSED.items():
        assert ends[name].status == 2, (name, ends[name].errors)
        assert word in ends[name].errors, (name, ends[name].errors)
        assert len(ends[name].errors.splitlines()) == 1
        assert not (folder / f"{name}_run").exists()
    # Label 99 of four examples: a hundred classes, and most are not here.
    assert ends["hundred"].status == 0, ends["hundred"].errors
    # Clients whose variates are files: all of them lie below the run's folder, by number.
    for name in _VARIATES:
        assert ends[name].status == 0, ends[name].errors
        run = folder / f"{name}_run"
        variates = {path.name for path in (run / "variates").iterdir()}
        assert variates and variates <= set(map(str, range(len(_IDS))))
        with open(run / "clients.csv", newline="") as file:
            assert [row["client_id"] for row in csv.DictReader(file)] == list(_IDS)
    made = {path.name for path in folder.iterdir()}
    assert made == {*ends, *(f"{name}_run" for name in (*_VARIATES, "hundred"))}
    assert {path.name for path in folder.parents[1].iterdir()} == {"inner"}
    assert {path.name for path in folder.parent.iterdir()} == {"deep"}
