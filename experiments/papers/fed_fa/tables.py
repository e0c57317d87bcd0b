"""FedFa's tables, their controls, and the distributions behind Table 2."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.declaration import AccuracyHistograms, Artifact, Metric, Scale, Variant
from experiments.papers.fed_fa.methods import (
    BEST_FED_FA,
    FAIRNESS,
    FED_AVG,
    FED_FA,
    FED_FA_CHOICE,
    FED_FA_MO,
    FED_FA_MO_WEIGHTS,
    FED_NOVA,
    FED_PROX,
    FINAL_ACCURACY,
    LIGHT,
    NO_TWEETS,
    ONE_AT_FIRST,
    ONE_DATA_SET,
    Q_FAIR,
    SCAFFOLD,
    SCALES,
    STAND_IN,
    SYNTHETIC,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TWEETS,
)

_REAL = ("femnist", "sent140")
_REAL_SCALES = {
    "smoke": Scale(2, LIGHT, datasets=("femnist",)),
    "short": Scale(100, datasets=("femnist",), why_left_out=NO_TWEETS),
    "paper": Scale(200),
}

# The recipe's rate is 0.01, which the labels leave out.
_LOWER_RATES = (0.001, 0.0001)
_UNIFORM = Variant("uniform", "fed_avg", {"weighting": "uniform"})

# What a data set holds is known before any training.
_ONE_STEP = {"epochs": None, "steps": 1, "clients_per_evaluation": 5}

_NUMBER_OF_ROUNDS = (
    "Every method is one run of the largest number of rounds, read after each of the rounds shown: "
    "a shorter run with the same seeds is its beginning.",
    "The paper does not name the rounds of its Table 2, whose numbers stand beside all of them; "
    "its curves have 200.",
)


def _at_each_rate(variant: Variant) -> Iterator[Variant]:
    """A baseline at the recipe's rate and at the lower ones."""
    yield variant
    for rate in _LOWER_RATES:
        yield Variant(
            f"{variant.label} at {rate:g}",
            variant.algorithm,
            {**variant.settings, "learning_rate": rate},
        )


TABLES = (
    Artifact(
        name="fedfa/table1",
        title="How many clients and samples the real data sets have",
        datasets=("mnist", "femnist", "sent140", "shakespeare"),
        variants=(Variant("clients", "fed_avg"),),
        scales={
            "smoke": Scale(1, _ONE_STEP, datasets=("mnist", "femnist")),
            "short": Scale(
                1,
                _ONE_STEP,
                datasets=("mnist", "femnist", "shakespeare"),
                why_left_out=NO_TWEETS,
            ),
            "paper": Scale(1, _ONE_STEP),
        },
        metrics=(
            Metric("num_clients", "devices", "devices", decimals=0),
            Metric("num_samples", "samples", "samples", decimals=0),
            Metric("mean_samples_per_client", "samples per device, mean", "mean"),
            Metric("stdev_samples_per_client", "samples per device, stdev", "stdev"),
        ),
        paper_files=(TABLE_1,),
        notes=(
            "Read from a run of one round of one step, which lists all clients; the same numbers, "
            "with histograms and examples, are printed by describe.",
            "Training and test samples together; the standard deviation is the population's, as "
            "LEAF's.",
            "Where the paper's source, or the sizes' distribution, is not to be had, the data sets'"
            " page in docs says how the data set here differs.",
            STAND_IN,
            TWEETS,
        ),
    ),
    Artifact(
        name="fedfa/table2",
        title="Fairness of FedAvg, FedProx, q-Fair and FedFa (with FedFa-mo from Table 3)",
        datasets=SYNTHETIC,
        variants=(FED_AVG, FED_PROX, Q_FAIR, *FED_FA_MO, *FED_FA),
        scales=SCALES,
        metrics=FAIRNESS,
        paper_files=(TABLE_2, TABLE_3),
        best_of=BEST_FED_FA,
        notes=(FINAL_ACCURACY, FED_FA_CHOICE, FED_FA_MO_WEIGHTS, ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/table2_real",
        title="Table 2 on the real data sets (with FedFa-mo from Table 3)",
        datasets=_REAL,
        variants=(FED_AVG, FED_PROX, Q_FAIR, *FED_FA_MO, *FED_FA),
        scales=_REAL_SCALES,
        metrics=FAIRNESS,
        paper_files=(TABLE_2, TABLE_3),
        best_of=BEST_FED_FA,
        notes=(FINAL_ACCURACY, FED_FA_CHOICE, FED_FA_MO_WEIGHTS, STAND_IN, TWEETS),
    ),
    Artifact(
        name="fedfa/table3",
        title="What FedFa's weights add to its double momentum",
        datasets=SYNTHETIC,
        variants=(*FED_FA_MO, *FED_FA),
        scales=SCALES,
        metrics=FAIRNESS,
        paper_files=(TABLE_3,),
        best_of=BEST_FED_FA,
        notes=(FINAL_ACCURACY, FED_FA_CHOICE, FED_FA_MO_WEIGHTS, ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/table3_real",
        title="Table 3 on the real data sets",
        datasets=_REAL,
        variants=(*FED_FA_MO, *FED_FA),
        scales=_REAL_SCALES,
        metrics=FAIRNESS,
        paper_files=(TABLE_3,),
        best_of=BEST_FED_FA,
        notes=(FINAL_ACCURACY, FED_FA_CHOICE, FED_FA_MO_WEIGHTS, STAND_IN, TWEETS),
    ),
    Artifact(
        name="fedfa/fig7",
        title="How many clients reach which accuracy",
        datasets=SYNTHETIC,
        variants=(FED_AVG, FED_PROX, Q_FAIR, *FED_FA),
        scales=SCALES,
        metrics=FAIRNESS,
        paper_files=(TABLE_2,),
        best_of=BEST_FED_FA,
        view=AccuracyHistograms(),
        notes=(FINAL_ACCURACY, FED_FA_CHOICE, ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/rounds",
        title="Table 2 by the number of rounds",
        datasets=SYNTHETIC,
        variants=(FED_AVG, FED_PROX, Q_FAIR, *FED_FA),
        scales={
            "smoke": Scale(4, rounds_shown=(2, 4), datasets=("synthetic_1_1",)),
            "short": Scale(400, rounds_shown=(100, 200, 400)),
            "paper": Scale(2000, rounds_shown=(200, 1000, 2000)),
        },
        metrics=FAIRNESS,
        paper_files=(TABLE_2,),
        best_of=BEST_FED_FA,
        notes=(*_NUMBER_OF_ROUNDS, FED_FA_CHOICE, ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/controls",
        title="Where FedFa's gain comes from: the baselines at each rate, and uniform weights",
        datasets=SYNTHETIC,
        variants=(
            *_at_each_rate(FED_AVG),
            *_at_each_rate(FED_PROX),
            *_at_each_rate(Q_FAIR),
            *_at_each_rate(SCAFFOLD),
            *_at_each_rate(FED_NOVA),
            *_at_each_rate(_UNIFORM),
            Variant("uniform, both momenta", "fed_fa_mo", {"weighting": "uniform"}),
            *FED_FA,
        ),
        scales=ONE_AT_FIRST,
        metrics=FAIRNESS,
        best_of=BEST_FED_FA,
        notes=(
            FINAL_ACCURACY,
            "Not in the paper. Where a label names no rate it is 0.01, and 0.0001 for both momenta "
            "and FedFa, as in Table 2.",
            "Uniform weights are 1/K for each client of the cohort, instead of its share of "
            "examples.",
            "SCAFFOLD and FedNova are not in the paper's Table 2; their runs are those of figures "
            "2, 4 and 5.",
            FED_FA_CHOICE,
            ONE_DATA_SET,
        ),
    ),
)
