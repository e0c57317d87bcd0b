"""What FedFa's tables and figures have in common: their notes, sizes, metrics and methods."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Scale, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS
from experiments.papers.common import few_steps, scales
from experiments.papers.folder import noted

# The paper does not name them.
ROUNDS_OF_Q_FAIR = 1000
artifact = noted("fedfa", __file__, rounds_of_q_fair=f"{ROUNDS_OF_Q_FAIR:,}")

SYNTHETIC = ("synthetic_iid", "synthetic_0_0", "synthetic_0.5_0.5", "synthetic_1_1")
HETEROGENEOUS = SYNTHETIC[1:]

SCALES = scales(2, 100, 200)
# If a figure shows the same methods on several data sets, only one data set is tried.
ONE_AT_FIRST = {**SCALES, "smoke": Scale(2, datasets=("synthetic_1_1",))}
# Two steps a round instead of 20 epochs, and few of the clients evaluated.
LIGHT = few_steps(2, clients=20)
# The main reading: as many letters a device as in the paper.
FEMNIST = {"num_clients": 50, "hand_out_all": True}

FAIRNESS = AVERAGE, WORST_20, BEST_20, VARIANCE = tuple(
    dataclasses.replace(metric, paper_column=column)
    for metric, column in zip(FAIRNESS_METRICS, ("average", "worst20", "best20", "variance"))
)

FED_AVG = Variant("FedAvg", "fed_avg")
FED_PROX = Variant("FedProx", "fed_prox")
Q_FAIR = Variant("q-Fair", "q_fed_avg", {"q": 1.0})
SCAFFOLD = Variant("SCAFFOLD", "scaffold")
FED_NOVA = Variant("FedNova", "fed_nova")
FED_FA_MO = (
    Variant("FedFa-mo", "fed_fa_mo", {"weighting": "uniform"}),
    Variant("FedFa-mo, n_i", "fed_fa_mo", {"weighting": "num_examples"}),
)


def fed_fa(alpha: float, beta: float) -> Variant:
    """FedFa with these weights of accuracy and participation."""
    return Variant(f"FedFa ({alpha:g}, {beta:g})", "fed_fa", {"alpha": alpha, "beta": beta})


FED_FA = (dataclasses.replace(fed_fa(0.5, 0.5), label="FedFa"), fed_fa(0.0, 1.0), fed_fa(1.0, 0.0))
