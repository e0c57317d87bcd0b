"""The flags that describe one run, and the configuration they add up to."""

from __future__ import annotations

from absl import flags

from experiments import recipes
from experiments.algorithms import ALGORITHMS
from experiments.configuration import CLIENT_SAMPLINGS, RunConfiguration, Seeds
from leaf_data import registry

_ALGORITHM = flags.DEFINE_enum("algorithm", None, list(ALGORITHMS), "The algorithm.", required=True)
_DATASET = flags.DEFINE_enum(
    "dataset", "synthetic_1_1", list(registry.names()), "The federated data set."
)

# Named like the fields of `RunConfiguration` and the algorithms' own hyperparameters. A flag that
# is not given has the paper's value, else the default of the field or of the algorithm.
_SETTINGS = (
    flags.DEFINE_integer("rounds", 100, "How many rounds to train.", lower_bound=1),
    flags.DEFINE_integer(
        "clients_per_round", None, "Clients in each round's cohort; 10.", lower_bound=1
    ),
    flags.DEFINE_enum(
        "client_sampling",
        None,
        CLIENT_SAMPLINGS,
        "How a cohort is drawn: uniformly (default), or in proportion to the clients' numbers of "
        "examples.",
    ),
    flags.DEFINE_integer(
        "rounds_per_evaluation",
        None,
        "All clients are evaluated every so many rounds; 1.",
        lower_bound=1,
    ),
    flags.DEFINE_float("learning_rate", None, "The clients' learning rate; the paper's."),
    flags.DEFINE_float(
        "learning_rate_decay", None, "The learning rate's factor from round to round; 1."
    ),
    flags.DEFINE_integer("batch_size", None, "Examples per local step; 10.", lower_bound=1),
    flags.DEFINE_integer(
        "epochs", None, "Local epochs per round; 20 unless --steps is given.", lower_bound=1
    ),
    flags.DEFINE_integer("steps", None, "Local steps per round, not --epochs.", lower_bound=0),
    flags.DEFINE_float("client_momentum", None, "The clients' momentum; the paper's."),
    flags.DEFINE_string(
        "leaf_dir", None, "dataset leaf: the folder with train/*.json and test/*.json."
    ),
    flags.DEFINE_enum(
        "weighting",
        None,
        ["num_examples", "uniform"],
        "fed_avg: whether clients count by their examples (default) or alike.",
    ),
    flags.DEFINE_float("proximal_strength", None, "fed_prox: mu; the paper's."),
    flags.DEFINE_float("q", None, "q_fed_avg: the larger, the fairer; 1."),
    flags.DEFINE_float("alpha", None, "fed_fa: weight of the accuracy's information; 0.5."),
    flags.DEFINE_float("beta", None, "fed_fa: weight of the participation's information; 0.5."),
    flags.DEFINE_enum(
        "accuracy_at",
        None,
        ["after", "before"],
        "fed_fa: whether the training accuracy is the model's after local training (default) or "
        "before it.",
    ),
    flags.DEFINE_float(
        "server_momentum", None, "fed_fa, fed_fa_mo: the server's momentum; the paper's."
    ),
    flags.DEFINE_float(
        "server_learning_rate", None, "fed_fa, fed_fa_mo: the server's learning rate; 1."
    ),
    flags.DEFINE_integer(
        "momentum_every_rounds",
        None,
        "fed_fa, fed_fa_mo: b, the rounds from one momentum step to the next; 1.",
        lower_bound=1,
    ),
)

_DATA_SEED = flags.DEFINE_integer("data_seed", 0, "Seeds data and partition.", lower_bound=0)
_SAMPLING_SEED = flags.DEFINE_integer("sampling_seed", 0, "Seeds the cohorts.", lower_bound=0)
_MODEL_SEED = flags.DEFINE_integer("model_seed", 0, "Seeds the initial weights.", lower_bound=0)
_SHUFFLING_SEED = flags.DEFINE_integer(
    "shuffling_seed", 0, "Seeds the order of local examples.", lower_bound=0
)


def run_configuration() -> RunConfiguration:
    """Returns the configuration that the flags describe, every default filled in.

    Raises:
        ValueError: If a flag is out of range, or is given and the algorithm does not use it; the
            message names it.
    """
    given = {flag.name: flag.value for flag in _SETTINGS if flag.value is not None}
    seeds = Seeds(
        data=_DATA_SEED.value,
        sampling=_SAMPLING_SEED.value,
        model=_MODEL_SEED.value,
        shuffling=_SHUFFLING_SEED.value,
    )
    return recipes.configure(_ALGORITHM.value, _DATASET.value, {**given, "seeds": seeds})
