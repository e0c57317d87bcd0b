"""What FedFa's paper leaves open (Huang et al., Information Sciences 2022)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Option, Reading, readings_artifact
from experiments.papers.fed_fa.methods import AVERAGE
from experiments.papers.fed_fa.tables import TABLE_2, TABLES

_FED_FA = ("fed_fa",)
(_TABLE_2,) = (table for table in TABLES if table.name == "fedfa/table2")

READINGS = (
    Reading(
        place="Algorithm 1 and eq. 8",
        question="sampling",
        options=(
            Option("uniform, weighted by n_i"),
            Option(
                "by p_k, simple means",
                {"client_sampling": "proportional", "weighting": "uniform"},
                ("fed_avg", "fed_prox"),
            ),
        ),
        why="Algorithm 1 draws a device with probability p_k and averages 1/K; eq. 8 weighs by "
        "n_i. FedAvg's numbers in table 2 choose, once that is run under both.",
    ),
    Reading(
        place="Eq. 9",
        question="accuracy",
        options=(
            Option("after local training", {"accuracy_at": "after"}, _FED_FA),
            Option("before it", {"accuracy_at": "before"}, _FED_FA),
        ),
        why='The paper "trains the model locally and sends the training accuracy".',
    ),
    Reading(
        place="Table 2",
        question="rounds",
        options=(
            Option("200 rounds"),
            *(
                Option(
                    f"{number:,} rounds",
                    not_run="in fedfa/rounds",
                    shown_in=("fedfa/rounds", number),
                )
                for number in (1000, 2000)
            ),
        ),
        why="The curves have 200.",
    ),
    Reading(
        place="Algorithm 2",
        question="client momentum",
        options=(
            Option("0 at the start of each round"),
            Option("carried on from round to round", {"carry_momentum": True}, _FED_FA),
        ),
        why="m = 0 is among the inputs of Algorithm 2, outside its loop; a client of a round has "
        "mostly not taken part in the round before.",
    ),
)

TABLE_2_READINGS = readings_artifact(
    dataclasses.replace(_TABLE_2, paper_files=(TABLE_2,)),
    READINGS,
    comparisons=tuple(("FedFa", baseline) for baseline in ("FedAvg", "FedProx", "q-Fair")),
    baselines=("FedAvg", "FedProx", "q-Fair"),
    metric=AVERAGE,
)
