"""What FedVeca's paper leaves open (Luo et al., IEEE TPDS 2024)."""

from __future__ import annotations

from experiments.declaration import Metric, readings_artifact
from experiments.papers.fed_veca.artifacts import BASELINES, TABLE_1_SVM
from experiments.papers.folder import read_readings

READINGS = read_readings(__file__)

READINGS_SVM = readings_artifact(
    TABLE_1_SVM,
    READINGS,
    comparisons=tuple(
        ("FedVeca", baseline) for baseline in BASELINES if baseline != "centralized SGD"
    ),
    baselines=BASELINES,
    metric=Metric("test_average", "accuracy %", "accuracy"),
)
