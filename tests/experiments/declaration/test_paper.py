"""What a paper must be made of, and the sentence where it is not."""

from __future__ import annotations

import dataclasses

import pytest

from experiments.declaration import Artifact, Claim, Metric, Paper, Scale, Variant

_METRIC = Metric("test_average", "average %")
_ARTIFACT = Artifact(
    name="toy/table",
    title="A table",
    datasets=("synthetic_1_1",),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
    scales={"smoke": Scale(1), "short": Scale(2), "paper": Scale(3)},
    metrics=(_METRIC,),
)
_CLAIM = Claim("toy/up", "A is better than B.", "Text", "toy/table", _METRIC, "A", "B")


def _paper(**parts) -> Paper:
    parts = {"artifacts": (_ARTIFACT,), "claims": (_CLAIM,), **parts}
    return Paper("toy", "The toy paper", "Nobody, 2020", **parts)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (
            {"artifacts": (_ARTIFACT, dataclasses.replace(_ARTIFACT, name="other/table"))},
            "name must begin with 'toy/', got 'other/table'",
        ),
        ({"claims": (dataclasses.replace(_CLAIM, name="up"),)}, "begin with 'toy/', got 'up'"),
        (
            {"claims": (dataclasses.replace(_CLAIM, artifact="toy/fig1"),)},
            r"claim toy/up: artifact must be one of \['toy/table'\], got 'toy/fig1'",
        ),
        (
            {"claims": (dataclasses.replace(_CLAIM, worse="C"),)},
            "claim toy/up: 'C' is not a method of toy/table",
        ),
        (
            {"claims": (dataclasses.replace(_CLAIM, datasets=("mnist",)),)},
            "claim toy/up: 'mnist' is not a data set of toy/table",
        ),
    ],
)
def test_what_does_not_is_named(parts, sentence):
    with pytest.raises(ValueError, match=sentence):
        _paper(**parts)


def test_a_claim_is_of_a_kind():
    assert dataclasses.replace(_CLAIM, kind="equal").kind == "equal"
    with pytest.raises(ValueError, match="toy/up: kind"):
        dataclasses.replace(_CLAIM, kind="worse")
