"""What FedCav's paper leaves open (Zeng et al., ICPP 2021); only its appendix is available."""

from __future__ import annotations

from experiments.declaration import Metric, readings_artifact
from experiments.papers.fed_cav.artifacts import LOG
from experiments.papers.folder import read_readings

READINGS = read_readings(__file__)

LOG_READINGS = readings_artifact(
    LOG,
    READINGS,
    comparisons=(("FedCav", "FedAvg"), ("FedCav", "FedProx")),
    baselines=("FedAvg", "FedProx"),
    metric=Metric("test_average", "% in round 50", "round_50", in_round=50),
)
