from __future__ import annotations

from records import CONFIGURATION, record

from experiments.declaration import Artifact, Metric, Scale, Variant
from experiments.reporting.missing_runs import missing_runs
from experiments.runs.plan import ArtifactRun

_ARTIFACT = Artifact(
    name="toy/table",
    title="A table",
    datasets=("mnist", "femnist"),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
    scales={
        "smoke": Scale(2, datasets=("mnist",)),
        "short": Scale(3),
        "paper": Scale(4, datasets=("mnist",), why_left_out="it has no letters"),
    },
    metrics=(Metric("test_average", "average %"),),
)


def _runs(**of_methods):
    return [
        (ArtifactRun("mnist", method, seed, CONFIGURATION), record() if is_there else None)
        for method, there in of_methods.items()
        for seed, is_there in enumerate(there, start=1)
    ]


def test_what_is_not_there_is_named_with_its_seeds():
    lines = missing_runs(_ARTIFACT, _runs(A=[True, False], B=[False, False]), scale="short")
    assert lines == ["mnist, A: seed 2", "mnist, B: seeds 1, 2"]


def test_the_order_is_the_artifacts_whichever_seed_comes_first():
    """By seed A lacks its second after B lacks its first."""
    runs = sorted(_runs(A=[True, False], B=[False, True]), key=lambda pair: pair[0].seed)
    assert missing_runs(_ARTIFACT, runs, scale="short") == ["mnist, A: seed 2", "mnist, B: seed 1"]


def test_a_data_set_that_the_scale_leaves_out_is_named():
    lines = missing_runs(_ARTIFACT, _runs(A=[True]), scale="smoke")
    assert lines == ["femnist: left out at the scale smoke"]
    lines = missing_runs(_ARTIFACT, _runs(A=[True]), scale="paper")
    assert lines == ["femnist: left out at the scale paper: it has no letters"]
