"""FedFa's tables and figures (Huang et al., Information Sciences 2022)."""

from __future__ import annotations

from experiments.papers.fed_fa.curves import CURVES
from experiments.papers.fed_fa.first import FIRST
from experiments.papers.fed_fa.sweeps import SWEEPS
from experiments.papers.fed_fa.tables import TABLES

ARTIFACTS = (FIRST, *TABLES, *CURVES, *SWEEPS)
