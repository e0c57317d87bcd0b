from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

from experiments.declaration import ONLY_SCALE
from experiments.reporting.own_comparisons import Comparison, as_paper, read_comparisons

_COMPARISON = Comparison(
    methods={"fed_avg": ("fed_avg", {}), "fed_fa, alpha = 1": ("fed_fa", {"alpha": 1.0})},
    datasets=("mnist", "synthetic_1_1"),
    rounds=7,
    seeds=(1, 2),
    settings={"batch_size": 5},
    command="compare it",
)


def test_it_is_an_artifact_of_the_fairness_table():
    """With gains where clients train alone; Ditto's clients do not."""
    artifact = _COMPARISON.artifact()
    assert artifact.name == f"compare/{_COMPARISON.name}" == artifact.folder(ONLY_SCALE)
    assert artifact.datasets == ("mnist", "synthetic_1_1")
    assert [(v.label, v.algorithm, dict(v.settings)) for v in artifact.variants] == [
        ("fed_avg", "fed_avg", {}),
        ("fed_fa, alpha = 1", "fed_fa", {"alpha": 1.0}),
    ]
    assert artifact.metrics[0].key == "test_average" and len(artifact.metrics) == 4
    (size,) = artifact.scales.values()
    assert (size.rounds, size.settings) == (7, {"batch_size": 5})
    methods = {"ditto": ("ditto", {}), "alone": ("trained_alone", {})}
    with_gains = dataclasses.replace(_COMPARISON, methods=methods, name="").artifact()
    compared = {metric.key: metric.compared_with for metric in with_gains.metrics}
    assert compared["mean_gain"] == compared["worst_20_gain"] == "alone"
    methods["longer alone"] = ("trained_alone", {})
    two = dataclasses.replace(_COMPARISON, methods=methods, name="").artifact()
    assert two.notes[-1] == "Gains are over alone."


def test_its_name_is_a_digest_of_what_decides_the_table():
    """The seeds among it; the command does not."""
    assert _COMPARISON.name.startswith("mnist+synthetic_1_1-")

    def name(**changed):
        return dataclasses.replace(_COMPARISON, name="", **changed).name

    assert name() == _COMPARISON.name == name(command="other")
    for bad in ("a/b", "..", ".hidden"):
        with pytest.raises(ValueError, match="name must be that of a folder"):
            dataclasses.replace(_COMPARISON, name=bad)
    others = {name(rounds=8), name(settings={}), name(datasets=("mnist",))}
    others |= {name(methods={"fed_avg": ("fed_avg", {})}), name(seeds=(3,))}
    assert len(others | {name()}) == 6
    assert name(datasets=("my_data:load",)).startswith("my_data.load-")


def test_what_is_written_reads_back(tmp_path):
    other = dataclasses.replace(_COMPARISON, name="a")
    for comparison in (_COMPARISON, other):
        comparison.write(tmp_path)
    assert read_comparisons(tmp_path) == [other, _COMPARISON]
    assert as_paper([other.artifact()]).artifacts[0].name == "compare/a"
    assert read_comparisons(tmp_path / "nothing") == []


def test_a_name_keeps_its_comparison_which_may_get_more_seeds(tmp_path):
    more = dataclasses.replace(_COMPARISON, seeds=(3, 2, 1), command="other")
    for each in (_COMPARISON, _COMPARISON, more):
        each.write(tmp_path)
    for other in (_COMPARISON, dataclasses.replace(more, rounds=8)):
        with pytest.raises(ValueError, match="holds another comparison; choose another"):
            other.write(tmp_path)
    assert read_comparisons(tmp_path) == [more]


_FIELDS = json.loads(json.dumps(dataclasses.asdict(_COMPARISON)))


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}"]
    + [json.dumps({**_FIELDS, "methods": bad}) for bad in (3, {}, {"a": [3, {}]}, {"a": ["b", 3]})]
    + [json.dumps({**_FIELDS, "settings": bad}) for bad in ([], 3, None)]
    + [json.dumps({**_FIELDS, "datasets": bad}) for bad in ([], [3])],
)
def test_a_file_that_is_none_is_named(tmp_path, text):
    _COMPARISON.write(tmp_path)
    (path,) = tmp_path.glob("compare/*/comparison.json")
    path.write_text(text)
    with pytest.raises(ValueError, match="comparison.json is no comparison: "):
        read_comparisons(tmp_path)


def test_a_copied_folder_is_refused(tmp_path):
    _COMPARISON.write(tmp_path)
    shutil.copytree(tmp_path / "compare" / _COMPARISON.name, tmp_path / "compare" / "copy")
    with pytest.raises(ValueError, match="its folder must be named"):
        read_comparisons(tmp_path)
