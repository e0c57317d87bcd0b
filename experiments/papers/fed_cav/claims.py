"""What FedCav's paper says (Zeng et al., ICPP 2021), as far as it was available."""

from __future__ import annotations

from experiments.declaration import Claim, Metric
from experiments.papers.common import rounds_to

_TWO_ROUNDS_LATER = Metric("test_average", "average % in round 22", in_round=22)
_LOST = Metric(
    "average_gained",
    "points of the average in round 22 over the run without an attack",
    in_round=22,
    compared_with="FedCav, audit, no attack",
)
_FEW_POINTS = -5.0

CLAIMS = (
    *(
        Claim(
            name=f"fedcav/faster{name}",
            statement=f"FedCav takes fewer rounds than FedAvg to 90 %: {setting}.",
            source="Its abstract",
            artifact="fedcav/log",
            metric=rounds_to(90),
            better=f"FedCav{suffix}",
            worse=f"FedAvg{suffix}",
        )
        for name, suffix, setting in (
            ("_log", "", "the settings of the authors' log"),
            ("_appendix", ", appendix", "the appendix"),
        )
    ),
    *(
        claim
        for artifact, task in (("audit", "synthetic(1, 1)"), ("attack", "the authors' task"))
        for claim in (
            Claim(
                name=f"fedcav/{artifact}_helps",
                statement=(
                    "Two rounds after a model replacement FedCav's average is higher with its "
                    f"audit than without: {task}."
                ),
                source="Its abstract; Decision: the audit is our reading",
                artifact=f"fedcav/{artifact}",
                metric=_TWO_ROUNDS_LATER,
                better="FedCav, audit",
                worse="FedCav",
            ),
            Claim(
                name=f"fedcav/{artifact}_recovers",
                statement=(
                    "Two rounds after a model replacement FedCav with its audit is within five "
                    f"points of its run without an attack: {task}."
                ),
                source="Its abstract; Decision: the audit is our reading, and the five points",
                artifact=f"fedcav/{artifact}",
                metric=_LOST,
                better="FedCav, audit",
                reference=_FEW_POINTS,
            ),
        )
    ),
    Claim(
        name="fedcav/audit_believes",
        statement=(
            "Two rounds after a model replacement, FedCav with its audit has a higher average if "
            "the attacker reports its true loss than if it reports 1e10: synthetic(1, 1)."
        ),
        source="Control: no paper says so",
        artifact="fedcav/disarmed",
        metric=_TWO_ROUNDS_LATER,
        better="FedCav, audit",
        worse="FedCav, audit, false loss",
    ),
)
