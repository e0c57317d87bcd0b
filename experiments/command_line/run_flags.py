"""The flags that describe one run, and the configuration they add up to."""

from __future__ import annotations

from absl import flags

from experiments.command_line import dataset_options, hyperparameter_flags, setting_flags
from experiments.runs import step_budget
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configure import configure

_ALGORITHM = flags.DEFINE_string(
    "algorithm",
    None,
    "The algorithm; a name that there is not shows all. Or module:name of your own: a builder "
    "(model, *, local_training, ...), or a weighting.",
    required=True,
)
_DATASET = dataset_options.define_dataset("synthetic_1_1", "The federated data set:")
flags.adopt_module_key_flags(setting_flags)
flags.adopt_module_key_flags(hyperparameter_flags)
_STEP_BUDGET_OF = flags.DEFINE_string(
    "step_budget_of",
    None,
    "The folder of a finished run of fed_veca on the same data, of which a baseline takes as many "
    "local steps in all; not with --epochs or --steps.",
)
_DATA_SEED = flags.DEFINE_integer("data_seed", 0, "Seeds data and partition.", lower_bound=0)
_SAMPLING_SEED = flags.DEFINE_integer("sampling_seed", 0, "Seeds the cohorts.", lower_bound=0)
_MODEL_SEED = flags.DEFINE_integer("model_seed", 0, "Seeds the initial weights.", lower_bound=0)
_SHUFFLING_SEED = flags.DEFINE_integer(
    "shuffling_seed", 0, "Seeds the order of local examples.", lower_bound=0
)


def define_hyperparameters() -> None:
    """Defines the flags of the algorithms' hyperparameters, after all others of the program."""
    hyperparameter_flags.define()
    flags.adopt_module_key_flags(hyperparameter_flags)


def run_configuration() -> RunConfiguration:
    """Returns the configuration that the flags describe, every default filled in.

    Raises:
        ValueError: If a flag is out of range, or is given and the algorithm does not use it; the
            message names it.
    """
    given = setting_flags.given(_DATASET.value)
    own = hyperparameter_flags.given(_ALGORITHM.value)
    seeds = Seeds(
        data=_DATA_SEED.value,
        sampling=_SAMPLING_SEED.value,
        model=_MODEL_SEED.value,
        shuffling=_SHUFFLING_SEED.value,
    )
    configuration = configure(_ALGORITHM.value, _DATASET.value, {**given, **own, "seeds": seeds})
    if _STEP_BUDGET_OF.value is None:
        return configuration
    for name in ("epochs", "steps"):
        if name in given:
            raise ValueError(f"--{name} and --step_budget_of both set the steps; leave one out")
    return step_budget.read_step_budget(_STEP_BUDGET_OF.value).apply(configuration)
