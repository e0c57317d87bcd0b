"""The flags of the settings that every run has, whatever its algorithm."""

from __future__ import annotations

from typing import Any

from absl import flags

from experiments.command_line import dataset_options
from experiments.runs.configuration import CLIENT_SAMPLINGS

# Named like the fields of `RunConfiguration`. A flag that is not given has the paper's value, else
# the default of the field.
_SETTINGS = (
    flags.DEFINE_string(
        "model",
        None,
        "The model, where the data set has several, its first; or module:name, a function of your "
        "own that builds one in Keras or TFF.",
    ),
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
        "The clients are evaluated every so many rounds; 1.",
        lower_bound=1,
    ),
    flags.DEFINE_integer(
        "clients_per_evaluation",
        None,
        "How many clients are evaluated, the same ones every time, for data sets whose evaluation "
        "would take longer than their training; all.",
        lower_bound=1,
    ),
    flags.DEFINE_float(
        "learning_rate",
        None,
        "The clients' learning rate, above 0; the paper's. Data of your own have none: give one.",
        lower_bound=0.0,
    ),
    flags.DEFINE_float(
        "learning_rate_decay",
        None,
        "The learning rate's factor from round to round; 1.",
        lower_bound=0.0,
    ),
    flags.DEFINE_integer("batch_size", None, "Examples per local step; 10.", lower_bound=1),
    flags.DEFINE_float(
        "epochs",
        None,
        "Local epochs per round; 20 unless --steps is given. E that is not whole means "
        "floor(E n / batch_size) steps.",
        lower_bound=0.0,
    ),
    flags.DEFINE_integer("steps", None, "Local steps per round, not --epochs.", lower_bound=0),
    flags.DEFINE_float(
        "client_momentum",
        None,
        "The clients' momentum, below 1; the paper's.",
        lower_bound=0.0,
        upper_bound=1.0,
    ),
    flags.DEFINE_integer(
        "attack_round",
        None,
        "fed_avg, fed_prox, fed_cav: the round in which one client replaces the model; none.",
        lower_bound=1,
    ),
    flags.DEFINE_string(
        "leaf_dir",
        None,
        "leaf, leaf_femnist: the folder with train/*.json and test/*.json. Flat lists of pixels "
        "become images with --dataset=leaf --dataset_option=shape=28x28.",
    ),
    flags.DEFINE_string(
        "embeddings",
        None,
        "sent140, leaf_sent140, leaf: what stands for words, learned (default) or glove:FILE; the "
        "same as --dataset_option=embeddings=...",
    ),
)
_DATASET_OPTIONS = dataset_options.define_flag()


def given(dataset: str) -> dict[str, Any]:
    """Returns the settings that are given, and the options of the data set, by name.

    Args:
        dataset: The data set, as `registry.load` takes it.

    Raises:
        ValueError: If an option is not `name=value`, is unknown, not of its type, or given twice.
    """
    by_flag = {flag.name: flag.value for flag in _SETTINGS if flag.value is not None}
    options = dataset_options.parse(dataset, _DATASET_OPTIONS.value)
    for name in by_flag.keys() & options.keys():
        raise ValueError(f"--{name} and --dataset_option={name}=... say the same; leave one out")
    return {**by_flag, **options}
