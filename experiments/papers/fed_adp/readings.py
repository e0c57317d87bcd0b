"""What FedAdp's paper leaves open (Wu and Wang, IEEE TCCN 2021)."""

from __future__ import annotations

from experiments.declaration import Option, Reading, readings_artifact
from experiments.papers.fed_adp.artifacts import BEST, MIXES, TABLE_1, label

_PIXELS = Reading(
    place="Section V",
    question="pixels",
    options=(
        Option("pixels / 255", {"pixels": "unit"}),
        Option("pixels normalized", {"pixels": "normalized"}),
    ),
    why="Nothing is said of pixels. FedAvg's rounds to the target in table I choose, once that is "
    "run under both.",
)
_NETWORK = Reading(
    place="Section V, footnote",
    question="network",
    options=(
        Option("1,663,370 parameters, padded", {"model": "fed_adp_cnn"}),
        Option(
            "582,026 parameters, not padded",
            {"model": "fed_adp_cnn_unpadded"},
            not_run="on one mix alone, in fedadp/readings",
        ),
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
    name="table1_readings",
)
