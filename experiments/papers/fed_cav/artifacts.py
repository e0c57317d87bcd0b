"""FedCav's curves (Zeng et al., ICPP 2021), beside the log that its authors published."""

from __future__ import annotations

import pathlib

from experiments.declaration import Artifact, Metric, Scale, Variant

# With which the log was made (`create_clients.py`, `local_update.py`, `main.py` and `launch_exp.sh`
# in https://github.com/zenghui9977/FedCav at the commit of the log, 6656cdd): 450 + 150 images for
# every client, and momentum.
_LOG = {"samples_per_client": 600, "stdev": 0.0, "client_momentum": 0.9}
_SUM = {"loss_reduction": "sum"}
_NOT_CLIPPED = {"clip": "none"}
_SHOWN = (10, 50, 100)

ARTIFACTS = (
    Artifact(
        name="fedcav/log",
        title="FedCav, FedAvg and FedProx as in the authors' log, and as in the appendix",
        datasets=("mnist_major_minor",),
        variants=(
            Variant("FedAvg", "fed_avg", _LOG),
            Variant("FedCav", "fed_cav", {**_LOG, **_SUM}),
            Variant("FedProx", "fed_prox", {**_LOG, "weighting": "uniform"}),
            Variant("FedCav, not clipped", "fed_cav", {**_LOG, **_SUM, **_NOT_CLIPPED}),
            Variant("FedAvg, appendix", "fed_avg"),
            Variant("FedCav, appendix", "fed_cav"),
            Variant("FedProx, appendix", "fed_prox"),
            Variant("FedCav, appendix, not clipped", "fed_cav", _NOT_CLIPPED),
        ),
        scales={"smoke": Scale(2), "short": Scale(100), "paper": Scale(100)},
        metrics=(
            *(
                Metric("test_average", f"% in round {number}", f"round_{number}", in_round=number)
                for number in _SHOWN
            ),
            Metric("test_average", "in the last round"),
        ),
        paper_files=(pathlib.Path(__file__).parent / "author_log.csv",),
        notes=(
            "Accuracy of the global model on the official test images.",
            "The paper's numbers are those of its authors' published log of one run on MNIST. The "
            "first four methods have the settings it was made with: client momentum 0.9, the sum "
            "of the losses of a client's batches, 450 + 150 images for every client, and FedProx "
            "averaged uniformly.",
            "Those of the appendix have no momentum, the mean of the losses, clients of 300 ± 150 "
            "images, and FedProx averaged by them.",
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
        scales={"smoke": Scale(22), "short": Scale(100), "paper": Scale(100)},
        metrics=(
            Metric("test_average", "average % in round 19", in_round=19),
            Metric("test_average", "in round 20", in_round=20),
            Metric("test_average", "in round 22", in_round=22),
            Metric("test_average", "in the last round"),
            Metric("alarms", "alarms"),
        ),
        by_seed=True,
        notes=(
            "One client of the cohort sends what turns the average into five times the mirrored "
            "model, up to the others' updates: it enlarges its update by the inverse of the weight "
            "that the server gives it in that round.",
            "The audit is a reading of the paper, whose full text was not available.",
            "Alarms without an attack are false.",
        ),
    ),
)
