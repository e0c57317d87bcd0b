"""FedCav's curves (Zeng et al., ICPP 2021), beside the log that its authors published."""

from __future__ import annotations

from experiments.artifacts.artifact import Artifact, Metric, Variant

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
        rounds={"smoke": 2, "short": 100, "paper": 100},
        metrics=(
            *(
                Metric("test_average", f"% in round {number}", f"round_{number}", in_round=number)
                for number in _SHOWN
            ),
            Metric("test_average", "in the last round"),
        ),
        paper_files=("fedcav_author_log.csv",),
        seconds_per_round=3.0,
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
)
