"""The papers' hyperparameters: what a run uses where nothing else is said."""

from __future__ import annotations

from experiments.recipes.configure import RECIPES, configure

__all__ = ["RECIPES", "configure"]
