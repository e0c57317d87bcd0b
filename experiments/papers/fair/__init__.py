"""Fair weightings, client selection and personal models by other authors than the five papers'."""

from __future__ import annotations

from experiments.declaration import Paper, Recipe
from experiments.declaration.algorithm import DRAWN_BY_PROCESS, OWN_MODELS, POWER_OF_CHOICE
from experiments.papers.common import of_library, of_weighting
from tff_weights.protocol import Protocol

_A_NUMBER = Protocol(scalars_up=1)  # The client's loss, or the discrepancy of its labels.


PAPER = Paper(
    name="fair",
    title="Fair weightings",
    citation="TERM: Li et al., ICLR 2021. FedDisco: Ye et al., ICML 2023. FedEBA+: Wang et al., "
    "arXiv 2301.12407. AFL: Mohri et al., ICML 2019. DRFA: Deng et al., NeurIPS 2020. AAggFF: Hahn "
    "et al., ICML 2024. FedMGDA+: Hu et al., IEEE TNSE 2022. FedFV: Wang et al., IJCAI 2021. "
    "PropFair: Zhang et al., 2022. Ditto: Li et al., ICML 2021. Power-of-Choice: Cho et al., "
    "AISTATS 2022.",
    algorithms={
        "term": of_weighting("term", _A_NUMBER, color="#008df9", marker="p"),
        "fed_disco": of_weighting("fed_disco", _A_NUMBER, color="#e20134", marker="d"),
        "fed_eba": of_weighting("fed_eba", _A_NUMBER, color="#009f81", marker="<"),
        "afl": of_weighting("afl", _A_NUMBER, color="#ff6e3a", marker=">"),
        "aagg_ff_s": of_weighting("aagg_ff_s", _A_NUMBER, color="#8400cd", marker="h"),
        "aagg_ff_d": of_weighting("aagg_ff_d", _A_NUMBER, color="#9f0162", marker="p"),
        "fed_mgda": of_weighting("fed_mgda", color="#00c2f9", marker="d"),
        "fed_fv": of_weighting("fed_fv", _A_NUMBER, color="#ff5aaf", marker="X"),
        "prop_fair": of_library("prop_fair", color="#ffc33b", marker="P"),
        "drfa": of_library(
            "drfa",
            Protocol(models_down=2, models_up=2, scalars_down=1, scalars_up=1),
            cohorts=DRAWN_BY_PROCESS,
            color="#00306f",
            marker="^",
        ),
        "ditto": of_library("ditto", evaluation=OWN_MODELS, color="#00d5af", marker="v"),
        "power_of_choice": of_library(
            "power_of_choice", _A_NUMBER, cohorts=POWER_OF_CHOICE, color="#3b2a00", marker="v"
        ),
    },
    recipes=(
        Recipe(
            {"client_sampling": "proportional"},
            source="Power-of-Choice, which draws candidates in proportion to their examples",
            algorithms=("power_of_choice",),
        ),
    ),
)
