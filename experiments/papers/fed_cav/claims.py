"""What FedCav's paper says (Zeng et al., ICPP 2021), as far as it was available."""

from __future__ import annotations

from experiments.declaration import Claim, Metric

_ROUNDS_TO_90 = Metric(
    "rounds_to",
    "rounds to 90 %",
    parameter=90.0,
    smaller_is_better=True,
)
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
            metric=_ROUNDS_TO_90,
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
                statement="Two rounds after a model was replaced FedCav is further with its audit "
                f"than without: {task}.",
                source="Its abstract; Decision: the audit is our reading",
                artifact=f"fedcav/{artifact}",
                metric=_TWO_ROUNDS_LATER,
                better="FedCav, audit",
                worse="FedCav",
            ),
            Claim(
                name=f"fedcav/{artifact}_recovers",
                statement="Two rounds after a model was replaced FedCav's audit has it back within "
                f"five points of where it would be: {task}.",
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
        statement="Two rounds after a model was replaced FedCav with its audit is further where "
        "the attacker told its loss than where it reported one of 1e10: synthetic(1, 1).",
        source="Control: no paper says so",
        artifact="fedcav/disarmed",
        metric=_TWO_ROUNDS_LATER,
        better="FedCav, audit",
        worse="FedCav, audit, false loss",
    ),
)
