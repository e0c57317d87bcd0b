from __future__ import annotations

import itertools

from experiments.declaration.recipe import Recipe, combined
from experiments.papers import catalogue
from leaf_data import registry

_EVERYWHERE = [
    (dataset, model, algorithm)
    for dataset in registry.names()
    for model in registry.models(dataset)
    for algorithm in catalogue.algorithms()
]


def _combine(*recipes):
    return combined(recipes, dataset="d", model="m", algorithm="a")


def test_what_is_for_others_is_left_out():
    assert _combine(
        Recipe({"x": 1}, "", datasets=("e",)),
        Recipe({"x": 2}, "", models=("n",)),
        Recipe({"x": 3}, "", algorithms=("b",)),
        Recipe({"y": 4}, "", datasets=("e", "d")),
    ) == {"y": 4}


def test_the_algorithms_word_counts_before_the_models_and_the_data_sets():
    """In whatever order the recipes stand."""
    recipes = [
        Recipe(dict.fromkeys("wxyz", 1), ""),
        Recipe(dict.fromkeys("xyz", 2), "", datasets=("d",)),
        Recipe(dict.fromkeys("yz", 3), "", models=("m",), datasets=("d",)),
        Recipe({"z": 4}, "", algorithms=("a",)),
    ]
    for order in itertools.permutations(recipes):
        assert _combine(*order) == {"w": 1, "x": 2, "y": 3, "z": 4}


def test_no_two_recipes_of_the_same_rank_contradict_each_other():
    for dataset, model, algorithm in _EVERYWHERE:
        said = {}
        for recipe in catalogue.recipes():
            if recipe.is_for(dataset, model, algorithm):
                for name, value in recipe.settings.items():
                    place = name, recipe.rank
                    assert said.setdefault(place, value) == value, (dataset, algorithm, name)


def test_recipes_name_what_there_is_and_where_it_is_from():
    for recipe in catalogue.recipes():
        assert recipe.source
        assert set(recipe.datasets or ()) <= set(registry.names())
        assert set(recipe.algorithms or ()) <= set(catalogue.algorithms())
        of_data_sets = {model for name in recipe.datasets or () for model in registry.models(name)}
        assert set(recipe.models or ()) <= of_data_sets
