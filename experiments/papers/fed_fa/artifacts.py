"""FedFa's tables and figures (Huang et al., Information Sciences 2022)."""

from __future__ import annotations

import pathlib

from experiments.declaration import AccuracyHistograms, Artifact, Metric, Scale, Variant

_SYNTHETIC = ("synthetic_iid", "synthetic_0_0", "synthetic_0.5_0.5", "synthetic_1_1")

_SCALES = {"smoke": Scale(2), "short": Scale(100), "paper": Scale(200)}
_HERE = pathlib.Path(__file__).parent
_TABLE_2 = _HERE / "table2.csv"
_TABLE_3 = _HERE / "table3.csv"

_FAIRNESS = (
    Metric("test_average", "average %", "average"),
    Metric("test_worst_20", "worst 20 %", "worst20"),
    Metric("test_best_20", "best 20 %", "best20"),
    Metric(
        "test_variance", "variance", "variance", smaller_is_better=True, read_with="test_average"
    ),
)

_FED_AVG = Variant("FedAvg", "fed_avg")
_FED_PROX = Variant("FedProx", "fed_prox")
_Q_FAIR = Variant("q-Fair", "q_fed_avg", {"q": 1.0})
_FED_FA_MO = (
    Variant("FedFa-mo", "fed_fa_mo", {"weighting": "uniform"}),
    Variant("FedFa-mo, n_i", "fed_fa_mo", {"weighting": "num_examples"}),
)
_FED_FA = tuple(
    Variant(f"FedFa ({alpha:g}, {beta:g})", "fed_fa", {"alpha": alpha, "beta": beta})
    for alpha, beta in ((0.5, 0.5), (0.0, 1.0), (1.0, 0.0))
)
_BEST_FED_FA = {"FedFa": tuple(variant.label for variant in _FED_FA)}

_FINAL_ACCURACY = (
    "Per-client test accuracy of the global model after the last round, over all clients."
)
_FED_FA_CHOICE = (
    "FedFa (alpha, beta) was run three times, as the paper did; the row FedFa is, for each data "
    "set, the one with the best average, which is chosen on the test data."
)
_ONE_DATA_SET = (
    "The paper's synthetic data sets are one draw each, which was not published; each seed here "
    "draws its own, so the numbers differ by more than training noise."
)
_FED_FA_MO_WEIGHTS = (
    "The paper does not say which weights its FedFa-mo has. The row beside the paper's numbers has "
    "uniform weights; the row n_i has the shares of examples."
)
_LOW_RATE = 0.0001

_NUMBER_OF_ROUNDS = (
    "Every method is one run of the largest number of rounds, read after each of the rounds shown: "
    "a shorter run with the same seeds is its beginning.",
    "The paper does not name the rounds of its Table 2, whose numbers stand beside all of them; "
    "its curves have 200.",
)

ARTIFACTS = (
    Artifact(
        name="fedfa/table2",
        title="Fairness of FedAvg, FedProx, q-Fair and FedFa (with FedFa-mo from Table 3)",
        datasets=_SYNTHETIC,
        variants=(_FED_AVG, _FED_PROX, _Q_FAIR, *_FED_FA_MO, *_FED_FA),
        scales=_SCALES,
        metrics=_FAIRNESS,
        paper_files=(_TABLE_2, _TABLE_3),
        best_of=_BEST_FED_FA,
        notes=(_FINAL_ACCURACY, _FED_FA_CHOICE, _FED_FA_MO_WEIGHTS, _ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/table3",
        title="What FedFa's weights add to its double momentum",
        datasets=_SYNTHETIC,
        variants=(*_FED_FA_MO, *_FED_FA),
        scales=_SCALES,
        metrics=_FAIRNESS,
        paper_files=(_TABLE_3,),
        best_of=_BEST_FED_FA,
        notes=(_FINAL_ACCURACY, _FED_FA_CHOICE, _FED_FA_MO_WEIGHTS, _ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/fig7",
        title="How many clients reach which accuracy",
        datasets=_SYNTHETIC,
        variants=(_FED_AVG, _FED_PROX, _Q_FAIR, *_FED_FA),
        scales=_SCALES,
        metrics=_FAIRNESS,
        paper_files=(_TABLE_2,),
        best_of=_BEST_FED_FA,
        view=AccuracyHistograms(),
        notes=(_FINAL_ACCURACY, _FED_FA_CHOICE, _ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/rounds",
        title="Table 2 by the number of rounds",
        datasets=_SYNTHETIC,
        variants=(_FED_AVG, _FED_PROX, _Q_FAIR, *_FED_FA),
        scales={
            "smoke": Scale(4, rounds_shown=(2, 4)),
            "short": Scale(400, rounds_shown=(100, 200, 400)),
            "paper": Scale(2000, rounds_shown=(200, 1000, 2000)),
        },
        metrics=_FAIRNESS,
        paper_files=(_TABLE_2,),
        best_of=_BEST_FED_FA,
        notes=(*_NUMBER_OF_ROUNDS, _FED_FA_CHOICE, _ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/controls",
        title="Where FedFa's gain comes from: the baselines at its rate, and uniform weights",
        datasets=_SYNTHETIC,
        variants=(
            _FED_AVG,
            Variant("FedAvg at 0.0001", "fed_avg", {"learning_rate": _LOW_RATE}),
            Variant("FedProx at 0.0001", "fed_prox", {"learning_rate": _LOW_RATE}),
            Variant("q-Fair at 0.0001", "q_fed_avg", {"learning_rate": _LOW_RATE}),
            Variant("uniform", "fed_avg", {"weighting": "uniform"}),
            Variant(
                "uniform at 0.0001",
                "fed_avg",
                {"weighting": "uniform", "learning_rate": _LOW_RATE},
            ),
            Variant("uniform, both momenta", "fed_fa_mo", {"weighting": "uniform"}),
            _FED_FA[0],
        ),
        scales=_SCALES,
        metrics=_FAIRNESS,
        notes=(_FINAL_ACCURACY, _ONE_DATA_SET, "Not in the paper."),
    ),
)
