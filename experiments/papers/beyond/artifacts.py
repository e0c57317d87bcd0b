"""All algorithms side by side, which no paper shows."""

from __future__ import annotations

from experiments.papers.beyond.fairness import FAIRNESS
from experiments.papers.beyond.language import LANGUAGE
from experiments.papers.beyond.overview import OVERVIEW
from experiments.papers.beyond.sensitivity import SENSITIVITY

ARTIFACTS = (*OVERVIEW, *FAIRNESS, SENSITIVITY, LANGUAGE)
