"""What FedFa's paper leaves open (Huang et al., Information Sciences 2022)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import readings_artifact
from experiments.papers.fed_fa.methods import AVERAGE
from experiments.papers.fed_fa.tables import TABLE_2, TABLES
from experiments.papers.folder import read_readings

(_TABLE_2,) = (table for table in TABLES if table.name == "fedfa/table2")

READINGS = read_readings(__file__)

TABLE_2_READINGS = readings_artifact(
    dataclasses.replace(_TABLE_2, paper_files=(TABLE_2,)),
    READINGS,
    comparisons=tuple(("FedFa", baseline) for baseline in ("FedAvg", "FedProx", "q-Fair")),
    baselines=("FedAvg",),
    metric=AVERAGE,
)
