"""What FedAdp's paper leaves open (Wu and Wang, IEEE TCCN 2021)."""

from __future__ import annotations

from experiments.declaration import readings_artifact
from experiments.papers.fed_adp.artifacts import BEST, MAIN, MIXES, TABLE_1, TO_80, TO_95, label
from experiments.papers.folder import read_readings

READINGS = read_readings(__file__)

TABLE_1_READINGS = readings_artifact(
    TABLE_1,
    READINGS[:1],  # The pixels.
    comparisons=tuple((label("FedAdp", mix), label("FedAvg", mix)) for mix in MIXES),
    baselines=tuple(label("FedAvg", mix) for mix in MIXES),
    metric=BEST,
    chosen_by=(TO_95, TO_80),
    name="table1_readings",
)
_PAIR = (label("FedAdp", MAIN), label("FedAvg", MAIN))
MAIN_CASE_READINGS = readings_artifact(
    TABLE_1,
    READINGS,
    comparisons=(_PAIR,),
    baselines=_PAIR[1:],
    metric=BEST,
    chosen_by=(TO_95, TO_80),
    name="main_case_readings",
    notes=("5 IID and 5 one-class nodes alone; the runs are those of fedadp/readings.",),
)
