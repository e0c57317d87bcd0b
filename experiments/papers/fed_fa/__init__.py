"""FedFa: weights by training accuracy and participation, and momentum on both sides."""

from __future__ import annotations

import pathlib

from experiments.declaration import Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.fed_fa.claims import CLAIMS
from experiments.papers.fed_fa.figures import FIGURES
from experiments.papers.fed_fa.readings import READINGS, TABLE_2_READINGS
from experiments.papers.fed_fa.recipe import RECIPES
from experiments.papers.fed_fa.tables import TABLES
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="fedfa",
    title="FedFa",
    citation="Huang et al., Fairness and accuracy in horizontal federated learning, Information "
    "Sciences 2022",
    algorithms={
        # Section 4.5 and Algorithm 2: w_i, its accuracy and its participations.
        "fed_fa": of_library("fed_fa", Protocol(scalars_up=2), color="#3b2a00", marker="p"),
        "fed_fa_mo": of_library("fed_fa_mo", module="fed_fa", color="#6b7280", marker="h"),
    },
    recipes=RECIPES,
    artifacts=(*TABLES, *FIGURES, TABLE_2_READINGS),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim="Weights by low accuracy or many participations, with two momenta, are fairer and "
        "better than FedAvg, FedProx and q-Fair.",
        shown="On heterogeneous synthetic data FedFa serves the worst 20 % of the clients better "
        'than FedAvg ({{ verdict("fedfa/table2_worst_20_fedfa_over_fedavg") }}). Equal weights and '
        "the two momenta make most of the difference.",
        fails="That FedFa-mo converges faster on the Dirichlet sets of figure 6: "
        '{{ verdicts("fedfa/fig6_*") }}. Its weights beside equal ones, synthetic(1, 1): '
        '{{ difference("fedfa/table3", "FedFa", "FedFa-mo", "worst 20 %", dataset="synthetic_1_1") '
        "}} points of the worst 20 %. The paper has "
        '{{ paper("fedfa/table3", "FedFa", "worst 20 %", dataset="synthetic_1_1") }} against '
        '{{ paper("fedfa/table3", "FedFa-mo", "worst 20 %", dataset="synthetic_1_1") }} %.',
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
