"""All algorithms side by side, which no paper shows."""

from __future__ import annotations

from experiments.artifacts.artifact import Artifact, Metric, Variant, View

_TARGET = 70.0

ARTIFACTS = (
    Artifact(
        name="overview/synthetic_1_1",
        title="Ten algorithms and centralized SGD on synthetic(1, 1)",
        datasets=("synthetic_1_1",),
        variants=(
            Variant("FedAvg", "fed_avg"),
            Variant("FedProx", "fed_prox"),
            Variant("SCAFFOLD", "scaffold"),
            Variant("FedNova", "fed_nova"),
            Variant("q-FedAvg", "q_fed_avg"),
            Variant("FedFa", "fed_fa"),
            Variant("FedAdp", "fed_adp"),
            Variant("FedVeca", "fed_veca"),
            Variant("FedVeca, all clients", "fed_veca", {"clients_per_round": 30}),
            Variant("FedCav", "fed_cav"),
            Variant("WeiAvg (projection)", "wei_avg"),
            Variant("WeiAvg (entropy)", "wei_avg", {"by": "entropy"}),
            Variant("centralized SGD", "centralized_sgd"),
        ),
        rounds={"smoke": 5, "short": 100, "paper": 200},
        metrics=(
            Metric("test_average", "average %"),
            Metric("test_worst_20", "worst 20 %"),
            Metric("test_variance", "variance"),
            Metric("rounds_to_70", "rounds to 70 %"),
            Metric("megabytes_to_70", "MB to 70 %"),
            Metric("seconds_per_round", "seconds a round / FedAvg's", relative_to="FedAvg"),
        ),
        targets=(_TARGET,),
        view=View.BARS,
        notes=(
            "Per-client test accuracy of the global model after the last round, over all clients; "
            "the target is on the pooled test examples.",
            "Every algorithm has its own recipe: FedFa at 0.0001 with both momenta, FedNova 5 "
            "epochs, FedVeca steps set by its server from 2 on, the others 0.01 and 20 epochs; "
            "centralized SGD takes as many steps as a cohort of FedAvg on average.",
            "FedVeca is made for rounds in which all clients take part: it rejects a round whose "
            "estimated loss is not below the smallest so far, and with cohorts that change, "
            "estimates of one cohort are held against those of another.",
            "Seconds were taken while other runs shared the machine; the benchmark compares them "
            "side by side.",
        ),
    ),
    Artifact(
        name="fedcav/audit",
        title="A model-replacement attack in round 20, with and without FedCav's audit",
        datasets=("synthetic_1_1",),
        variants=(
            Variant("FedAvg", "fed_avg", {"attack_round": 20}),
            Variant("FedCav", "fed_cav", {"attack_round": 20}),
            Variant("FedCav, audit", "fed_cav", {"attack_round": 20, "audit": True}),
            Variant("FedCav, audit, no attack", "fed_cav", {"audit": True}),
        ),
        rounds={"smoke": 22, "short": 100, "paper": 100},
        metrics=(
            Metric("average_in_round_19", "average % in round 19"),
            Metric("average_in_round_20", "in round 20"),
            Metric("average_in_round_22", "in round 22"),
            Metric("test_average", "in the last round"),
            Metric("alarms", "alarms"),
        ),
        rounds_shown=(19, 20, 22),
        view=View.BARS,
        notes=(
            "One client of the cohort sends what turns the average into five times the mirrored "
            "model. The audit is a reading of the paper, whose full text was not available.",
            "Alarms without an attack are false.",
        ),
    ),
)
