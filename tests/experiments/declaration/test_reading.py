"""Tests of `experiments.declaration.reading`: options, their combinations, and the runs of them."""

from __future__ import annotations

import pytest
from made_runs import toy_artifact

from experiments.declaration import (
    Metric,
    Option,
    Reading,
    SpecificationCurve,
    Variant,
    readings_artifact,
)
from experiments.declaration.reading import MOST_COMBINATIONS, combinations

_ACCURACY = Metric("test_average", "accuracy %")
_PROX = ("fed_prox",)


def _reading(*labels, algorithms=None, settings=None):
    main, *others = labels
    options = tuple(Option(label, settings or {label: 1}, algorithms) for label in others)
    return Reading("section 1", f"which of {labels}", (Option(main), *options), "It is printed.")


def test_all_combinations_of_few_and_one_change_at_a_time_of_many():
    """2 · 3 = 6 are all run. 2 · 3 · 5 = 30 are more than 24: the main one, and 1 + 2 + 4."""
    two, three = _reading("a", "b"), _reading("x", "y", "z")
    five = _reading("1", "2", "3", "4", "5")
    few = [tuple(option.label for option in options) for options in combinations([two, three])]
    assert few == [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("b", "y"), ("b", "z")]
    many = [tuple(each.label for each in options) for options in combinations([two, three, five])]
    assert many == [
        ("a", "x", "1"),
        ("b", "x", "1"),
        *(("a", option, "1") for option in "yz"),
        *(("a", "x", option) for option in "2345"),
    ]
    assert MOST_COMBINATIONS == 24


def test_what_is_not_offered_is_not_run():
    options = (Option("as now"), Option("the full text's", not_run="not offered"))
    assert combinations([Reading("", "", options, "")]) == [options[:1]]


def _artifact():
    return toy_artifact(
        variants=(
            Variant("Own", "fed_veca", {"alpha": 0.5}),
            Variant("FedAvg", "fed_avg", step_budget_of="Own"),
            Variant("FedProx", "fed_prox"),
        )
    )


def test_a_method_has_a_row_for_each_option_that_may_change_it():
    """FedAvg takes the steps of Own, so that what changes Own changes it; FedProx has its own,
    whose main option is named in no label."""
    readings = [
        _reading("as printed", "other", algorithms=("fed_veca",), settings={"reject_worse": False}),
        Reading(
            "section 2",
            "epochs",
            (Option("long", {"epochs": 9}, _PROX), Option("short", {"epochs": 1}, _PROX)),
            "It is printed.",
        ),
    ]
    made = readings_artifact(
        _artifact(),
        readings,
        comparisons=[("Own", "FedAvg"), ("Own", "FedProx")],
        baselines=["FedAvg", "FedProx"],
        metric=_ACCURACY,
    )
    assert made.name == "toy/readings"
    assert {each.label: (dict(each.settings), each.step_budget_of) for each in made.variants} == {
        "Own": ({"alpha": 0.5}, None),
        "FedAvg": ({}, "Own"),
        "FedProx": ({"epochs": 9}, None),
        "FedProx, short": ({"epochs": 1}, None),
        "Own, other": ({"alpha": 0.5, "reject_worse": False}, None),
        "FedAvg, other": ({}, "Own, other"),
    }
    assert isinstance(made.view, SpecificationCurve)
    assert len(made.view.specifications) == 4
    assert dict(made.view.specifications[-1].labels) == {
        "FedAvg": "FedAvg, other",
        "FedProx": "FedProx, short",
        "Own": "Own, other",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((Option("a"),), r"two or more .*\['a'\]"),
        ((Option("a"), Option("a")), r"labels of their own, got \['a', 'a'\]"),
        ((Option("a", not_run="no"), Option("b")), "main option 'a' must be run"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=f"reading 'what': .*{message}"):
        Reading("section 1", "what", options, "")
