"""What FedAdp's paper leaves open (Wu and Wang, IEEE TCCN 2021)."""

from __future__ import annotations

from experiments.declaration import Option, Reading, readings_artifact
from experiments.papers.fed_adp.artifacts import BEST, MAIN, MIXES, TABLE_1, TO_80, TO_95, label

_PIXELS = Reading(
    place="Section V",
    question="pixels",
    options=(
        Option("pixels / 255", {"pixels": "unit"}),
        Option("pixels normalized", {"pixels": "normalized"}),
    ),
    why="Nothing is said of pixels. FedAvg's rounds to the target in table I choose.",
)
_NETWORK = Reading(
    place="Section V, footnote",
    question="network",
    options=(
        Option("1,663,370 parameters, padded", {"model": "fed_adp_cnn"}),
        Option("582,026 parameters, not padded", {"model": "fed_adp_cnn_unpadded"}),
    ),
    why="The total of 1,663,370 is printed; the footnote's 1,024 inputs are those of the other.",
)
READINGS = (_PIXELS, _NETWORK)

TABLE_1_READINGS = readings_artifact(
    TABLE_1,
    (_PIXELS,),
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
