"""What is open of FedCav (Zeng et al., ICPP 2021), of whose paper the appendix is at hand."""

from __future__ import annotations

from experiments.declaration import Metric, Option, Reading, readings_artifact
from experiments.papers.fed_cav.artifacts import LOG

_FED_CAV = ("fed_cav",)

READINGS = (
    Reading(
        place="Appendix, and the authors' code",
        question="loss of a client",
        options=(
            Option("sum of its batches", {"loss_reduction": "sum"}, _FED_CAV),
            Option("mean of its examples", {"loss_reduction": "mean"}, _FED_CAV),
        ),
        why="The authors' log, whose numbers stand beside ours, was made with the sum.",
    ),
    Reading(
        place="Appendix",
        question="clipping",
        options=(
            Option("clipped to the mean", {"clip": "mean"}, _FED_CAV),
            Option("not clipped", {"clip": "none"}, _FED_CAV),
        ),
        why="The appendix clips losses to the cohort's mean.",
    ),
    Reading(
        place="Section 4.3 as the abstract has it",
        question="what an audit compares a loss with",
        options=(
            Option("the largest of the round before"),
            Option(
                "the client's own last one",
                {"audit_by": "client"},
                _FED_CAV,
                not_run="fedcav/audit_by_client has it",
            ),
        ),
        why="The full text is not at hand.",
    ),
)

LOG_READINGS = readings_artifact(
    LOG,
    READINGS,
    comparisons=(("FedCav", "FedAvg"), ("FedCav", "FedProx")),
    baselines=("FedAvg", "FedProx"),
    metric=Metric("test_average", "% in round 50", "round_50", in_round=50),
)
