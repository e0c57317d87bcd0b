"""What FedCav's paper says (Zeng et al., ICPP 2021), as far as it was available."""

from __future__ import annotations

from experiments.declaration import Claim, Metric
from experiments.papers.common import rounds_to

_TWO_ROUNDS_LATER = Metric("test_average", "average % in round 22", in_round=22)
_LATE = Metric("late_accuracy", "test accuracy %, mean of the last tenth", parameter=10.0)
_FEW_POINTS = -5.0
_OWN = ", own history"


def _lost(suffix: str) -> Metric:
    return Metric(
        "average_gained",
        "points of the average in round 22 over the run without an attack",
        in_round=22,
        compared_with=f"FedCav, audit, no attack{suffix}",
    )


CLAIMS = (
    *(
        Claim(
            name=f"fedcav/{what}{name}{over}",
            statement=f"FedCav {says} than {other}{to}: {setting}.",
            source="Its abstract",
            artifact="fedcav/log",
            metric=metric,
            better=f"FedCav{suffix}",
            worse=f"{other}{suffix}",
        )
        for what, says, to, metric in (
            ("faster", "takes fewer rounds", " to 90 %", rounds_to(90)),
            ("better", "ends with a higher accuracy", "", _LATE),
        )
        for other, over in (("FedAvg", ""), ("FedProx", "_over_fed_prox"))
        for name, suffix, setting in (
            ("_log", "", "the settings of the authors' log"),
            ("_appendix", ", appendix", "the appendix"),
        )
    ),
    *(
        claim
        for artifact, task, suffix in (
            ("audit", "synthetic(1, 1)", ""),
            ("attack", "the authors' task", ""),
            ("audit_by_client", "by a client's own history, synthetic(1, 1)", _OWN),
        )
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
                better=f"FedCav, audit{suffix}",
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
                metric=_lost(suffix),
                better=f"FedCav, audit{suffix}",
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
