from __future__ import annotations

import pathlib
import shutil
import sys
import types
from importlib import metadata

import pytest
from made_runs import toy_artifact

from experiments import papers as packages
from experiments.declaration import ONLY_SCALE, Algorithm, Paper, Recipe, Scale
from experiments.papers import catalogue
from experiments.runs.plan import artifact_runs
from leaf_data import extensions


@pytest.fixture
def put(monkeypatch):
    """Makes a module of a name with attributes; the catalogue forgets it afterwards."""
    catalogue.papers()
    monkeypatch.setattr(catalogue, "_papers", dict(catalogue.papers()))
    monkeypatch.setattr(catalogue, "_modules", list(catalogue.added_modules()))

    def put_module(name, **attributes):
        module = types.ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)

    return put_module


def _paper(name="toy", **parts):
    return Paper(name=name, title=name, citation="None", **parts)


_COMPARISON = toy_artifact(scales={ONLY_SCALE: Scale(3)})


def test_a_paper_is_added_once(put):
    recipes = (
        Recipe({"epochs": 3}, "", algorithms=("toy",), datasets=("synthetic_1_1",)),
        Recipe({"epochs": 4}, "", datasets=("toy_data:load",), algorithms=("fed_avg", "toy")),
    )
    put("toy_module", PAPER=_paper(algorithms={"toy": Algorithm(print)}, recipes=recipes))
    before = catalogue.added_modules()
    catalogue.add(["toy_module"])
    catalogue.add(["toy_module", "toy_module"])
    assert catalogue.added_modules() == (*before, "toy_module")
    assert catalogue.recipes()[-2:] == recipes
    assert catalogue.algorithms()["toy"].builder is print


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "papers: 'toy_module' is no module with a PAPER"),
        ({"PAPER": "x"}, "PAPER of 'toy_module' must be an experiments.declaration.Paper, got 'x'"),
        ({"PAPER": _paper("fedfa")}, "'toy_module' and another module are both named 'fedfa'"),
        (
            {"PAPER": _paper(algorithms={"fed_fa": Algorithm(print)})},
            "papers: 'fedfa' and 'toy' both have 'fed_fa'",
        ),
        (
            {"PAPER": _paper(artifacts=(_COMPARISON,))},
            "papers: toy/table: scales must be smoke, short, paper, got only",
        ),
        *(
            (
                {
                    "PAPER": _paper(
                        algorithms={"toy": Algorithm(print)},
                        recipes=(Recipe({"epochs": 3}, "Section 2", **which),),
                    )
                },
                r"papers: 'toy' has a recipe of epochs that would change runs of other papers: "
                r"algorithms must be some of \['toy'\], got",
            )
            for which in (
                {"datasets": ("toy_data:load", "synthetic_1_1")},
                {"algorithms": ("toy", "fed_avg"), "datasets": ("mnist",)},
                {"models": ("fed_adp_cnn",)},
            )
        ),
    ],
)
def test_what_is_no_paper_of_its_own_is_refused_and_leaves_nothing(put, attributes, message):
    put("toy_module", **attributes)
    before = catalogue.added_modules(), dict(catalogue.papers())
    with pytest.raises(ValueError, match=message):
        catalogue.add(["toy_module"])
    assert (catalogue.added_modules(), dict(catalogue.papers())) == before


def test_installed_entry_points_are_papers(put, monkeypatch):
    """An entry point names a module, or a module's PAPER."""
    put("toy_module", PAPER=_paper())
    put("other_module", PAPER=_paper("other"))
    found = [
        metadata.EntryPoint(name, value, catalogue.ENTRY_POINTS)
        for name, value in (("toy", "toy_module:PAPER"), ("other", "other_module"))
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda: {catalogue.ENTRY_POINTS: found})
    monkeypatch.setattr(extensions, "entry_points", extensions.entry_points.__wrapped__)
    monkeypatch.setattr(catalogue, "_papers", {})
    monkeypatch.setattr(catalogue, "_modules", [])
    assert {"toy", "other", "fedfa"} <= set(catalogue.papers())
    assert catalogue.added_modules()[-2:] == ("other_module", "toy_module")


def test_a_new_folder_is_a_paper(monkeypatch, tmp_path):
    """It is all there is to a paper: its runs have its recipe, and the data set's for the rest."""
    names, num_recipes = set(catalogue.papers()), len(catalogue.recipes())
    (tmp_path / "a_toy").mkdir()
    own_package = pathlib.Path(__file__).parents[1] / "own_package.py"
    shutil.copyfile(own_package, tmp_path / "a_toy" / "__init__.py")
    monkeypatch.setattr(packages, "__path__", [*packages.__path__, str(tmp_path)])
    monkeypatch.setitem(sys.modules, "experiments.papers.a_toy", None)  # It is forgotten later.
    del sys.modules["experiments.papers.a_toy"]
    monkeypatch.setattr(catalogue, "_papers", {})
    monkeypatch.setattr(catalogue, "_modules", [])
    assert set(catalogue.papers()) == names | {"toy"}
    assert [claim.name for claim in catalogue.claims() if claim.artifact == "toy/table"]
    runs = artifact_runs(catalogue.artifacts()["toy/table"], "short", (1,))
    assert [run.resolved.configuration.hyperparameters for run in runs] == [
        {"power": 0.5},
        {"power": 2.0},
    ]
    assert len(catalogue.recipes()) == num_recipes + 1


def test_artifacts_are_selected_by_name_by_paper_and_all():
    def names(*selected):
        return [artifact.name for artifact in catalogue.select_artifacts(selected)]

    assert names("fedfa/table3") == ["fedfa/table3"]
    assert set(names("fedfa")) == {n for n in catalogue.artifacts() if n.startswith("fedfa/")}
    assert names("fedcav/audit", "fedfa", "fedfa/table3") == ["fedcav/audit", *names("fedfa")]
    assert names("all") == list(catalogue.artifacts())
