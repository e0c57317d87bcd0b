"""Fair weightings and personal models of other authors, beside the five papers'."""

from __future__ import annotations

from experiments.declaration import Algorithm, Paper
from experiments.declaration.algorithm import OWN_MODELS
from experiments.papers.common import of_library
from tff_weights.protocol import Protocol

_A_NUMBER = Protocol(scalars_up=1)  # Of the client: its loss, or how its labels differ.


def _algorithm(name: str, protocol: Protocol, color: str, marker: str) -> Algorithm:
    return Algorithm(
        f"tff_weights.algorithms.{name}:build_{name}", protocol, color=color, marker=marker
    )


PAPER = Paper(
    name="fair",
    title="Fair weightings",
    citation="TERM: Li et al., ICLR 2021. FedDisco: Ye et al., ICML 2023. FedEBA+: Wang et al., "
    "arXiv 2301.12407. AFL: Mohri et al., ICML 2019. AAggFF: Hahn et al., ICML 2024. FedMGDA+: Hu "
    "et al., IEEE TNSE 2022. FedFV: Wang et al., IJCAI 2021. PropFair: Zhang et al., 2022. "
    "Ditto: Li et al., ICML 2021.",
    algorithms={
        "term": _algorithm("term", _A_NUMBER, "#008df9", "p"),
        "fed_disco": _algorithm("fed_disco", _A_NUMBER, "#e20134", "d"),
        "fed_eba": _algorithm("fed_eba", _A_NUMBER, "#009f81", "<"),
        "afl": _algorithm("afl", _A_NUMBER, "#ff6e3a", ">"),
        "aagg_ff_s": _algorithm("aagg_ff_s", _A_NUMBER, "#8400cd", "h"),
        "aagg_ff_d": _algorithm("aagg_ff_d", _A_NUMBER, "#9f0162", "p"),
        "fed_mgda": _algorithm("fed_mgda", Protocol(), "#00c2f9", "d"),
        "fed_fv": _algorithm("fed_fv", _A_NUMBER, "#ff5aaf", "X"),
        "prop_fair": _algorithm("prop_fair", Protocol(), "#ffc33b", "P"),
        "ditto": of_library("ditto", evaluation=OWN_MODELS, color="#00d5af", marker="v"),
    },
)
