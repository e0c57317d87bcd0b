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


_REFUSED = {
    "huge": ({"a": [0, 1], "b": [0, 10**9]}, "client 'b', field 'y': has the label 1000000000"),
    "large": ({"a": [0, 10**8]}, "client 'a', field 'y': has the label 100000000"),
    "negative": ({"a": [0, -1]}, "label -1"),
}


@pytest.mark.long
def test_they_lead_nowhere(run, tmp_path):
    """What is no data set of classes is refused before anything is made.

    The folder is deep enough that `../..` does not lead out of it.
    """
    folder = tmp_path / "inner" / "deep"
    refused = {word: _write(folder / name, data) for name, (data, word) in _REFUSED.items()}
    refused["no client has a test example"] = _write(folder / "untested", {"a": [0]}, {"a": []})
    pipe = folder / "pipe" / "train" / "data.json"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    refused["data.json: cannot be read (it is no file)"] = folder / "pipe"
    for word, leaf in refused.items():
        ended = run("train", *_flags(leaf, folder / "none"))
        assert ended.status == 2 and word in ended.errors, (word, ended)
        assert len(ended.errors.splitlines()) == 1
    # Label 99 of four examples: a hundred classes, and most are not here.
    hundred = _write(folder / "hundred", {"a": [0, 99], "b": [1, 2]})
    ended = run("train", *_flags(hundred, folder / "hundred_run"))
    assert ended.status == 0, ended
    # Clients whose variates are files: all of them lie below the run's folder, by number.
    hostile = _write(folder / "hostile", {client: [0, 1, 1] for client in _IDS})
    for algorithm in ("scaffold", "trained_alone"):
        path = folder / f"{algorithm}_run"
        ended = run("train", *_flags(hostile, path, algorithm))
        assert ended.status == 0, ended
        variates = {file.name for file in (path / "variates").iterdir()}
        assert variates and variates <= set(map(str, range(len(_IDS))))
        with open(path / "clients.csv", newline="") as file:
            assert [row["client_id"] for row in csv.DictReader(file)] == list(_IDS)
    made = {path.name for path in folder.iterdir() if path.name.endswith("_run")}
    assert made == {"hundred_run", "scaffold_run", "trained_alone_run"}
    assert not (folder / "none").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["deep"]
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
