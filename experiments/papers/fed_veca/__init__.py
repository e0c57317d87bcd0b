"""FedVeca: the server sets the clients' local steps and rejects rounds that raise the loss."""

from __future__ import annotations

import pathlib

from experiments.declaration import Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.fed_veca.artifacts import ARTIFACTS
from experiments.papers.fed_veca.claims import CLAIMS
from experiments.papers.fed_veca.readings import READINGS, READINGS_SVM
from experiments.papers.fed_veca.recipe import RECIPES
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="fedveca",
    title="FedVeca",
    citation="Luo et al., FedVeca: Federated Vectorized Averaging on Non-IID Data with Adaptive "
    "Bi-directional Global Objective, IEEE TPDS 2024",
    algorithms={
        # Algorithms 1 and 2. Down: w_k, ∇F(w_{k−1}) and τ_i; up: G_i, ∇F_i(w_k), F_i, β_i and δ_i.
        "fed_veca": of_library(
            "fed_veca",
            Protocol(models_down=2, scalars_down=1, models_up=2, scalars_up=3),
            gives_step_budget=True,
            color="#e889d9",
            marker="d",
        )
    },
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, READINGS_SVM),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim="A server that sets each client's number of steps learns faster than the baselines "
        "from as many steps.",
        shown="By which loss the server rejects a round is open, and decides. With the SVM "
        "FedVeca's accuracy less FedAvg's is "
        '{{ difference("fedveca/table1_svm", "FedVeca", "FedAvg", "accuracy %") }} points by eq. '
        "4, and if no round is rejected "
        '{{ difference("fedveca/table1_svm", "FedVeca, no round rejected", "FedAvg", "accuracy %") '
        "}}.",
        fails="That it is the first to converge in case 2 of figure 7, by eq. 4: "
        '{{ verdicts("fedveca/case_2_[fs]*") }}. That 1 − α_k = 0.005 is faster than 0.05: '
        '{{ verdict("fedveca/alpha_fast") }}.',
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
