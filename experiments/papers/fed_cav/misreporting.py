"""FedCav under a misreporting attack: the attacker also reports a false loss, unnoticed."""

from __future__ import annotations

import functools

import tensorflow_federated as tff

import tff_weights
from tff_weights.checks import FINITE, check_number


def build_fed_cav_misreporting(
    model: tff.learning.models.FunctionalModel,
    *,
    local_training: tff_weights.LocalTraining,
    loss_reduction: str = "mean",
    clip: str = "mean",
    audit: bool = False,
    audit_by: str = "cohort",
    num_clients: int | None = None,
    false_loss: float = 1e10,
    wrap_client_work: functools.partial[tff.learning.templates.ClientWorkProcess] | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedCav whose attacker reports a loss of its choice in the round of its attack.

    FedCav's audit by cohort calls a loss abnormal that exceeds the largest of the round before.
    After a report that no loss exceeds, the next round, which would notice the attack, raises no
    alarm. An audit by client compares each client's loss with its own last one.

    Args:
        model: See `build_fed_cav`.
        local_training: See `build_fed_cav`.
        loss_reduction: See `build_fed_cav`.
        clip: See `build_fed_cav`.
        audit: See `build_fed_cav`.
        audit_by: See `build_fed_cav`.
        num_clients: See `build_fed_cav`.
        false_loss: What the attacker reports as its loss.
        wrap_client_work: `with_model_replacement` with the round and the attacker of the run;
            without an attack every report is true.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_number("false_loss", false_loss, FINITE)
    if wrap_client_work is not None:
        (loss,) = tff_weights.fed_cav_weighting(loss_reduction=loss_reduction).report_fields
        wrap_client_work = functools.partial(wrap_client_work, false_report={loss: false_loss})
    return tff_weights.build_fed_cav(
        model,
        local_training=local_training,
        loss_reduction=loss_reduction,
        clip=clip,
        audit=audit,
        audit_by=audit_by,
        num_clients=num_clients,
        wrap_client_work=wrap_client_work,
    )
