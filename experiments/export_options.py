"""The data set's options as `export_leaf` takes them on the command line."""

from __future__ import annotations

from typing import Any

from leaf_data import registry


def export_options(dataset: str, given: list[str]) -> dict[str, Any]:
    """Returns the data set's options, each of the type of its default.

    Raises:
        ValueError: If one is not `name=value`, unknown, or not of its type.
    """
    defaults = registry.options(dataset)
    # The texts of tweets are written, not numbers of words.
    options = {"embeddings": "none"} if "embeddings" in defaults else {}
    for setting in given:
        name, equals, text = setting.partition("=")
        if not equals or name not in defaults:
            raise ValueError(
                f"option is {setting!r}; it must be name=value, and {dataset} has "
                f"{', '.join(defaults) or 'no options'}"
            )
        try:
            options[name] = type(defaults[name])(text)
        except ValueError:
            raise ValueError(
                f"option {name} is {text!r}; it must be of the type of its default "
                f"{defaults[name]!r}"
            ) from None
    return options
