"""FedFa's tables, their controls, and the distributions behind Table 2."""

from __future__ import annotations

import functools
import pathlib
from typing import Any

from experiments.declaration import AccuracyHistograms, Artifact, Metric, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_NOTE
from experiments.papers.common import STAND_IN, few_steps, scales
from experiments.papers.fed_fa import methods

TABLE_1, TABLE_2, TABLE_3 = (
    pathlib.Path(__file__).with_name(f"table{number}.csv") for number in (1, 2, 3)
)
_OF_TABLE_2 = (methods.FED_AVG, methods.FED_PROX, methods.Q_FAIR, *methods.FED_FA)
_OF_TABLE_3 = (*methods.FED_FA_MO, *methods.FED_FA)
_OF_TABLES_2_AND_3 = (methods.FED_AVG, methods.FED_PROX, methods.Q_FAIR, *_OF_TABLE_3)
# The recipe's rate is 0.01, which the labels leave out.
_LOWER_RATES = (0.001, 0.0001)
# What a data set holds is known before any training.
_ONE_STEP = few_steps(1, clients=5)
_REAL: dict[str, Any] = {
    "datasets": ("femnist", "sent140"),
    "scales": scales(
        Scale(2, methods.LIGHT, datasets=("femnist",)),
        Scale(100, datasets=("femnist",), why_left_out=methods.NO_TWEETS),
        200,
    ),
}


def _at_each_rate(*baselines: Variant) -> tuple[Variant, ...]:
    """Baselines, each at the recipe's rate and at the lower ones."""
    return tuple(
        each
        for variant in baselines
        for each in (
            variant,
            *(
                Variant(
                    f"{variant.label} at {rate:g}",
                    variant.algorithm,
                    {**variant.settings, "learning_rate": rate},
                )
                for rate in _LOWER_RATES
            ),
        )
    )


_fairness = functools.partial(
    Artifact,
    datasets=methods.SYNTHETIC,
    scales=methods.SCALES,
    metrics=methods.FAIRNESS,
    paper_files=(TABLE_2,),
    best_of=methods.BEST_FED_FA,
)
_NOTES = (FAIRNESS_NOTE, methods.FED_FA_CHOICE, methods.FED_FA_MO_WEIGHTS)
_SYNTHETIC_NOTES = (*_NOTES, methods.ONE_DATA_SET)
_REAL_NOTES = (*_NOTES, STAND_IN, methods.TWEETS)

TABLES = (
    Artifact(
        name="fedfa/table1",
        title="How many clients and samples the real data sets have",
        datasets=("mnist", "femnist", "sent140", "shakespeare"),
        variants=(Variant("clients", "fed_avg"),),
        scales=scales(
            Scale(1, _ONE_STEP, datasets=("mnist", "femnist")),
            Scale(
                1,
                _ONE_STEP,
                datasets=("mnist", "femnist", "shakespeare"),
                why_left_out=methods.NO_TWEETS,
            ),
            Scale(1, _ONE_STEP),
        ),
        metrics=(
            Metric("num_clients", "devices", "devices", decimals=0),
            Metric("num_samples", "samples", "samples", decimals=0),
            Metric("mean_samples_per_client", "samples per device, mean", "mean"),
            Metric("stdev_samples_per_client", "samples per device, stdev", "stdev"),
        ),
        paper_files=(TABLE_1,),
        notes=(
            "The numbers come from a run of one round with one step, which lists all clients. "
            "describe prints them, too, with histograms and examples.",
            "Training and test samples count together. The standard deviation is the "
            "population's, as in LEAF.",
            "Where the paper's source is not available, the page on data sets in docs says how "
            "the data set here differs.",
            STAND_IN,
            methods.TWEETS,
        ),
    ),
    _fairness(
        name="fedfa/table2",
        title="Fairness of FedAvg, FedProx, q-Fair and FedFa (with FedFa-mo from Table 3)",
        variants=_OF_TABLES_2_AND_3,
        paper_files=(TABLE_2, TABLE_3),
        notes=_SYNTHETIC_NOTES,
    ),
    _fairness(
        name="fedfa/table2_real",
        title="Table 2 on the real data sets (with FedFa-mo from Table 3)",
        variants=_OF_TABLES_2_AND_3,
        paper_files=(TABLE_2, TABLE_3),
        notes=_REAL_NOTES,
        **_REAL,
    ),
    _fairness(
        name="fedfa/table3",
        title="What FedFa's weights add to its double momentum",
        variants=_OF_TABLE_3,
        paper_files=(TABLE_3,),
        notes=_SYNTHETIC_NOTES,
    ),
    _fairness(
        name="fedfa/table3_real",
        title="Table 3 on the real data sets",
        variants=_OF_TABLE_3,
        paper_files=(TABLE_3,),
        notes=_REAL_NOTES,
        **_REAL,
    ),
    _fairness(
        name="fedfa/fig7",
        title="How many clients reach which accuracy",
        variants=_OF_TABLE_2,
        view=AccuracyHistograms(),
        notes=(FAIRNESS_NOTE, methods.FED_FA_CHOICE, methods.ONE_DATA_SET),
    ),
    _fairness(
        name="fedfa/rounds",
        title="Table 2 by the number of rounds",
        variants=_OF_TABLE_2,
        scales=scales(
            Scale(4, rounds_shown=(2, 4), datasets=("synthetic_1_1",)),
            Scale(400, rounds_shown=(100, 200, 400)),
            Scale(2000, rounds_shown=(200, 1000, 2000)),
        ),
        notes=(
            "Every method is one run of the largest number of rounds, read after each of the "
            "rounds shown. A shorter run with the same seeds is its beginning.",
            "The paper does not name the rounds of its Table 2, so its numbers stand beside all "
            "of them. Its curves have 200 rounds.",
            methods.FED_FA_CHOICE,
            methods.ONE_DATA_SET,
        ),
    ),
    _fairness(
        name="fedfa/controls",
        title="Where FedFa's gain comes from: the baselines at each rate, and uniform weights",
        variants=(
            *_at_each_rate(
                *methods.BASELINES, Variant("uniform", "fed_avg", {"weighting": "uniform"})
            ),
            Variant("uniform, both momenta", "fed_fa_mo", {"weighting": "uniform"}),
            *methods.FED_FA,
        ),
        scales=methods.ONE_AT_FIRST,
        paper_files=(),
        notes=(
            FAIRNESS_NOTE,
            "Not in the paper. Where a label names no rate, it is 0.01, and for both momenta and "
            "FedFa 0.0001, as in Table 2.",
            "Uniform weights are 1/K for each client of the cohort, instead of its share of "
            "examples.",
            "SCAFFOLD and FedNova are not in the paper's Table 2. Their runs are those of figures"
            " 2, 4 and 5.",
            methods.FED_FA_CHOICE,
            methods.ONE_DATA_SET,
        ),
    ),
)
