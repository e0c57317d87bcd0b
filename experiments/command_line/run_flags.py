"""The flags that describe one run, and the configuration they add up to."""

from __future__ import annotations

from absl import flags

from experiments.command_line import dataset_options, settings
from experiments.runs import step_budget
from experiments.runs.algorithms import hyperparameter_defaults
from experiments.runs.configuration import CLIENT_SAMPLINGS, RunConfiguration, Seeds
from experiments.runs.configure import configure
from leaf_data import registry
from tff_weights.weightings import fed_adp

_ALGORITHM = flags.DEFINE_string(
    "algorithm", None, "The algorithm; a name that there is not shows all.", required=True
)
_DATASET = flags.DEFINE_enum(
    "dataset", "synthetic_1_1", list(registry.names()), "The federated data set."
)

# Named like the fields of `RunConfiguration` and the algorithms' own hyperparameters. A flag that
# is not given has the paper's value, else the default of the field or of the algorithm.
_SETTINGS = (
    flags.DEFINE_string("model", None, "The model, where the data set has several; its first."),
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
    flags.DEFINE_float("learning_rate", None, "The clients' learning rate; the paper's."),
    flags.DEFINE_float(
        "learning_rate_decay", None, "The learning rate's factor from round to round; 1."
    ),
    flags.DEFINE_integer("batch_size", None, "Examples per local step; 10.", lower_bound=1),
    flags.DEFINE_float(
        "epochs",
        None,
        "Local epochs per round; 20 unless --steps is given. E that is not whole means "
        "floor(E n / batch_size) steps.",
    ),
    flags.DEFINE_integer("steps", None, "Local steps per round, not --epochs.", lower_bound=0),
    flags.DEFINE_float("client_momentum", None, "The clients' momentum; the paper's."),
    flags.DEFINE_integer(
        "attack_round",
        None,
        "fed_avg, fed_prox, fed_cav: the round in which one client replaces the model; none.",
        lower_bound=1,
    ),
    flags.DEFINE_string(
        "leaf_dir", None, "dataset leaf: the folder with train/*.json and test/*.json."
    ),
    flags.DEFINE_string(
        "embeddings",
        None,
        "sent140, leaf_sent140: what stands for words, learned (default) or glove:FILE; the same "
        "as --dataset_option=embeddings=...",
    ),
    flags.DEFINE_enum(
        "weighting",
        None,
        ["num_examples", "uniform"],
        "fed_avg, fed_prox, fed_fa_mo: whether clients count by their examples (the first two's "
        "default) or alike (fed_fa_mo's).",
    ),
    flags.DEFINE_float(
        "proximal_strength", None, "fed_prox, fed_nova, wei_avg: mu; the paper's, or 0."
    ),
    flags.DEFINE_string(
        "measured",
        None,
        "fed_avg, fed_adp, wei_avg: what is measured of every participant besides, such as "
        "projection_on_mean,label_entropy; nothing.",
    ),
    flags.DEFINE_float("q", None, "q_fed_avg: the larger, the fairer; 1."),
    flags.DEFINE_float(
        "alpha",
        None,
        "fed_fa: weight of the accuracy's information; 0.5. fed_adp: alpha of the Gompertz "
        "function; 5. fed_veca: alpha_k; 0.95.",
    ),
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
        "server_learning_rate", None, "fed_fa, fed_fa_mo, scaffold: the server's rate; 1."
    ),
    flags.DEFINE_integer(
        "momentum_every_rounds",
        None,
        "fed_fa, fed_fa_mo: b, the rounds from one momentum step to the next; 1.",
        lower_bound=1,
    ),
    flags.DEFINE_enum(
        "smoothing",
        None,
        fed_adp.SMOOTHINGS,
        "fed_adp: over what the angles are averaged; participation.",
    ),
    flags.DEFINE_enum(
        "by", None, ["entropy", "projection"], "wei_avg: what shows diversity; projection."
    ),
    flags.DEFINE_float("exponent", None, "wei_avg: lambda, 0 is the simple mean; 1."),
    flags.DEFINE_float("shift", None, "wei_avg: how far from 0 the least diverse stays; 0.1."),
    flags.DEFINE_bool(
        "multiply_by_num_examples", None, "wei_avg: weights in proportion to n_i as well; no."
    ),
    flags.DEFINE_enum(
        "loss_reduction", None, ["mean", "sum"], "fed_cav: over a client's batches; mean."
    ),
    flags.DEFINE_enum("clip", None, ["mean", "none"], "fed_cav: where losses are cut; mean."),
    flags.DEFINE_bool("audit", None, "fed_cav: undo rounds with suspicious losses; no."),
    flags.DEFINE_integer("most_steps", None, "fed_veca: the largest tau; 50.", lower_bound=2),
    flags.DEFINE_bool("reject_worse", None, "fed_veca: reject rounds that raise the loss; yes."),
)

_STEP_BUDGET_OF = flags.DEFINE_string(
    "step_budget_of",
    None,
    "The folder of a finished run of fed_veca on the same data, of which a baseline takes as many "
    "local steps in all; not with --epochs or --steps.",
)
_HYPERPARAMETERS = flags.DEFINE_multi_string(
    "hyperparameter",
    [],
    "name=value: a hyperparameter of the algorithm, with a flag of its own or without; may be "
    "repeated.",
)
_DATASET_OPTIONS = dataset_options.define_flag()
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
    options = dataset_options.parse(_DATASET.value, _DATASET_OPTIONS.value)
    own = settings.parse(
        _HYPERPARAMETERS.name,
        _HYPERPARAMETERS.value,
        hyperparameter_defaults(_ALGORITHM.value),
        owner=_ALGORITHM.value,
    )
    for flag, also_given in (("dataset_option", options), ("hyperparameter", own)):
        for name in given.keys() & also_given.keys():
            raise ValueError(f"--{name} and --{flag}={name}=... say the same; leave one out")
    seeds = Seeds(
        data=_DATA_SEED.value,
        sampling=_SAMPLING_SEED.value,
        model=_MODEL_SEED.value,
        shuffling=_SHUFFLING_SEED.value,
    )
    configuration = configure(
        _ALGORITHM.value, _DATASET.value, {**given, **options, **own, "seeds": seeds}
    )
    if _STEP_BUDGET_OF.value is None:
        return configuration
    for name in ("epochs", "steps"):
        if name in given:
            raise ValueError(f"--{name} and --step_budget_of both set the steps; leave one out")
    return step_budget.read_step_budget(_STEP_BUDGET_OF.value).apply(configuration)
