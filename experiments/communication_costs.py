"""What each client receives and sends: here, counted from the types, and in the papers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow_federated as tff

from experiments.algorithms import CENTRALIZED
from experiments.configuration import RunConfiguration
from tff_weights import Communication, Protocol, communication, communication_by_protocol

# By FedFa, section 4.5, where it names an algorithm, else by the algorithm's own paper. The numbers
# of examples, which do not change, are not counted as sent in every round.
_PROTOCOLS: Mapping[str, Protocol] = {
    "fed_avg": Protocol(),
    "fed_prox": Protocol(),
    "q_fed_avg": Protocol(scalars_up=1),  # Algorithm 2: F_k^q Δw_k, and h_k.
    "fed_fa": Protocol(scalars_up=2),  # Algorithm 2: w_i, its accuracy and its participations.
    "fed_fa_mo": Protocol(),
    "fed_adp": Protocol(),  # The server computes the angles from the updates.
    # Algorithms 1 and 2. Down: w_k, ∇F(w_{k−1}) and τ_i; up: G_i, ∇F_i(w_k), F_i, β_i and δ_i.
    "fed_veca": Protocol(models_down=2, scalars_down=1, models_up=2, scalars_up=3),
    "fed_cav": Protocol(scalars_up=1),  # The loss of the received model.
    "fed_nova": Protocol(scalars_up=1),  # d_i and τ_i.
    "scaffold": Protocol(models_down=2, models_up=2),  # Down: w and c; up: Δw_i and Δc_i.
    CENTRALIZED: Protocol(models_down=0, models_up=0),
}


def paper_protocol(algorithm: str, hyperparameters: Mapping[str, Any]) -> Protocol:
    """Returns what an algorithm's paper has a client receive and send in one round.

    Args:
        algorithm: A name of `ALGORITHMS`.
        hyperparameters: Its own; WeiAvg's clients send their label entropy or, where the server
            projects the updates, nothing but these.
    """
    if algorithm == "wei_avg":
        return Protocol(scalars_up=int(hyperparameters["by"] == "entropy"))
    return _PROTOCOLS[algorithm]


def communication_here(
    configuration: RunConfiguration, process: tff.learning.templates.LearningProcess
) -> Communication:
    """Returns what a client of the cohort receives and sends per round by this implementation.

    Args:
        configuration: The run.
        process: What `build_process` made of it.
    """
    if configuration.algorithm == CENTRALIZED:
        return Communication(bytes_down=0, bytes_up=0)
    return communication(process, clients_per_round=configuration.clients_per_round)


def communication_in_the_paper(
    configuration: RunConfiguration, process: tff.learning.templates.LearningProcess
) -> Communication:
    """Returns what the same client would by the protocol of the algorithm's paper."""
    return communication_by_protocol(
        process, paper_protocol(configuration.algorithm, configuration.hyperparameters)
    )
