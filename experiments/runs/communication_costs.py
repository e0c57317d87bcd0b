"""What each client receives and sends: here, counted from the types, and in the papers."""

from __future__ import annotations

import tensorflow_federated as tff

from experiments.runs.configuration import RunConfiguration
from experiments.runs.resolution import algorithm
from tff_weights import Communication, communication, communication_by_protocol


def communication_here(
    configuration: RunConfiguration, process: tff.learning.templates.LearningProcess
) -> Communication:
    """Returns what a client of the cohort receives and sends per round by this implementation.

    Args:
        configuration: The run.
        process: What `build_process` made of it.
    """
    if not algorithm(configuration.algorithm).is_federated:
        return Communication(bytes_down=0, bytes_up=0)
    return communication(process, clients_per_round=configuration.clients_per_round)


def communication_in_the_paper(
    configuration: RunConfiguration, process: tff.learning.templates.LearningProcess
) -> Communication:
    """Returns what the same client would by the protocol of the algorithm's paper."""
    return communication_by_protocol(
        process,
        algorithm(configuration.algorithm).protocol_for(configuration.hyperparameters),
    )
