"""FedCav: clients with a high loss count more, and an audit undoes attacked rounds."""

from __future__ import annotations

from experiments.declaration import Algorithm, Recipe
from experiments.papers.common import of_library
from experiments.papers.fed_cav.artifacts import ARTIFACTS, READINGS
from experiments.papers.folder import paper
from tff_weights.protocol import Protocol

PAPER = paper(
    "fedcav",
    __file__,
    title="FedCav",
    citation="Zeng et al., FedCav: Contribution-aware Model Aggregation on Distributed "
    "Heterogeneous Data for Federated Learning, ICPP 2021",
    # The loss of the received model goes up.
    algorithms={
        "fed_cav": of_library("fed_cav", Protocol(scalars_up=1), color="#ffc33b", marker=">"),
        "fed_cav_misreporting": Algorithm(
            "experiments.papers.fed_cav.misreporting:build_fed_cav_misreporting",
            Protocol(scalars_up=1),
            attacked="fed_cav",
        ),
    },
    # Those of the authors' published log differ: see the artifact `fedcav/log`.
    recipes=(
        Recipe(
            {"learning_rate": 0.01, "batch_size": 10, "epochs": 3, "clients_per_round": 10},
            source="the authors' `launch_exp.sh`: 100 clients, a tenth of them in a round",
            datasets=("mnist_major_minor",),
        ),
        Recipe(
            {"proximal_strength": 1.0},
            source="the authors' `launch_exp.sh`",
            datasets=("mnist_major_minor",),
            algorithms=("fed_prox",),
        ),
    ),
    artifacts=ARTIFACTS,
    readings=READINGS,
)
