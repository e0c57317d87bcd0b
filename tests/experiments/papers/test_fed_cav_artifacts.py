"""FedCav's artifacts beyond its log, cell by cell."""

from __future__ import annotations

from planned_runs import configurations_of

from experiments.papers import catalogue

# `create_clients.py`, `local_update.py` and `launch_exp.sh` of the authors.
_LOG = {"client_momentum": 0.9, "epochs": 3, "batch_size": 10, "learning_rate": 0.01}


def _configurations(name):
    found = configurations_of(f"fedcav/{name}").items()
    return {variant: configuration for (_, variant), configuration in found}


def test_the_attack_and_the_losses_are_in_the_authors_setting():
    for name in ("attack", "losses"):
        for run in _configurations(name).values():
            assert {field: getattr(run, field) for field in _LOG} == _LOG
            options = run.dataset_options
            assert (options["samples_per_client"], options["stdev"]) == (600, 0.0)
            assert (run.dataset, run.rounds) == ("mnist_major_minor", 100)


def test_the_audit_is_disarmed_by_the_same_attack_and_a_lie():
    """All but the lie is as in the artifact of the audit, whose runs are shared."""
    runs = _configurations("disarmed")
    audit = _configurations("audit")
    for variant in ("FedCav", "FedCav, audit", "FedCav, audit, no attack"):
        assert runs[variant] == audit[variant]
    misreporting = runs["FedCav, audit, false loss"]
    assert misreporting.algorithm == "fed_cav_misreporting"
    assert misreporting.attack_round == 20
    assert misreporting.hyperparameters["audit"]
    assert misreporting.hyperparameters["false_loss"] == 1e10
    claim = {claim.name: claim for claim in catalogue.claims()}["fedcav/audit_believes"]
    assert (claim.better, claim.worse) == ("FedCav, audit", "FedCav, audit, false loss")
