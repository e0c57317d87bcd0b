"""What a recipe is: settings of a paper, and the data sets, models and algorithms they are for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Union

Hyperparameter = Union[float, int, str]


@dataclasses.dataclass(frozen=True)
class OfAllClients:
    """A setting that grows with the number of clients, which a data set's options say.

    Attributes:
        options: The options whose values add up to the number of clients.
        each: What every client adds to the setting.
    """

    options: tuple[str, ...]
    each: int = 1

    def resolve(self, options: Mapping[str, Hyperparameter]) -> int:
        """Returns the setting for the values of the data set's options."""
        return self.each * sum(int(options[name]) for name in self.options)


Setting = Union[Hyperparameter, OfAllClients, None]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Settings that a paper states together.

    Attributes:
        settings: By the names of the fields of `RunConfiguration` or of the algorithms' own
            hyperparameters.
        source: Where they are from; "Decision" where no paper says them.
        datasets: The data sets they are for; None for all.
        models: The models; None for all.
        algorithms: The algorithms; None for all.
    """

    settings: Mapping[str, Setting]
    source: str
    datasets: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    algorithms: tuple[str, ...] | None = None

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """Ranks a recipe: of two with the same setting the one with the larger rank counts."""
        return self.algorithms is not None, self.models is not None, self.datasets is not None

    def is_for(self, dataset: str, model: str, algorithm: str) -> bool:
        """Says whether the settings are for a data set, a model and an algorithm together."""
        asked = ((self.datasets, dataset), (self.models, model), (self.algorithms, algorithm))
        return all(known is None or name in known for known, name in asked)


def combined(
    recipes: Iterable[Recipe], *, dataset: str, model: str, algorithm: str
) -> dict[str, Setting]:
    """Returns the settings of all recipes that apply.

    If two recipes have the same setting, the more specific one counts: first one that names
    algorithms, then one that names models, then one that names data sets.
    """
    applying = [recipe for recipe in recipes if recipe.is_for(dataset, model, algorithm)]
    ordered = sorted(applying, key=lambda recipe: recipe.rank)
    return {name: value for recipe in ordered for name, value in recipe.settings.items()}
