"""What a paper must be made of, and the sentence where it is not."""

from __future__ import annotations

import dataclasses

import pytest
from made_runs import toy_artifact

from experiments.declaration import Claim, Metric, Paper

_ARTIFACT = toy_artifact()
_CLAIM = Claim("toy/up", "A is better than B.", "Text", "toy/table", *_ARTIFACT.metrics, "A", "B")
_OTHER_CLAIM = dataclasses.replace(_CLAIM, name="toy/down")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "up"}, "names must differ and begin with toy/, got 'up'"),
        ({"name": "toy/down"}, "names must differ and begin with toy/, got 'toy/down'"),
        ({"artifact": "toy/fig1"}, r"artifact must be one of \['toy/table'\], got 'toy/fig1'"),
        ({"worse": "C"}, "claim toy/up: 'C' is not a method of toy/table"),
        ({"metric": Metric("mean_gain", "gain", compared_with="C")}, "'C' is not a method"),
        ({"datasets": ("mnist",)}, "claim toy/up: 'mnist' is not a data set of toy/table"),
        ({"kind": "worse"}, "toy/up: kind"),
    ],
)
def test_a_claim_that_does_not_fit_is_named(change, sentence):
    assert dataclasses.replace(_CLAIM, kind="equal").kind == "equal"
    with pytest.raises(ValueError, match=sentence):
        Paper(
            *("toy", "The toy paper", "Nobody, 2020"),
            artifacts=(_ARTIFACT,),
            claims=(dataclasses.replace(_CLAIM, **change), _OTHER_CLAIM),
        )
