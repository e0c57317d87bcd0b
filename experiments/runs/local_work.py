"""What clients do locally, written as text such as `uniform(1, 20)` or `cosine(100, by=step)`.

A run's configuration holds the text; here it becomes what `LocalTraining` takes.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tff_weights.client_work.schedules import CosineDecay, ExponentialDecay, Schedule, StepDecay
from tff_weights.client_work.uniform_epochs import UniformEpochs

_EPOCHS = {"uniform": UniformEpochs}
_SCHEDULES = {"step": StepDecay, "exponential": ExponentialDecay, "cosine": CosineDecay}
# Not Adafactor, which TFF cannot run in a loop inside a graph.
_OPTIMIZERS = ("adagrad", "adam", "adamw", "rmsprop", "yogi")


def epochs_per_client(text: str) -> UniformEpochs:
    """Reads `uniform(LEAST, MOST)` or `uniform(LEAST, MOST, SHARE)`.

    Raises:
        ValueError: If it is neither, or out of range.
    """
    bound = _bound("epochs_per_client", text, _EPOCHS)
    try:
        return UniformEpochs(*bound.args, **bound.keywords)
    except ValueError as error:
        raise ValueError(f"epochs_per_client {text!r}: {error}") from error


def learning_rate_schedule(text: str) -> Schedule:
    """Reads `step(FACTOR, EVERY)`, `exponential(FACTOR)` or `cosine(OVER)`; each with `by=step`.

    Raises:
        ValueError: If it is none of them, or out of range.
    """
    made: Schedule = _bound("learning_rate_schedule", text, _SCHEDULES)()
    return made


def client_optimizer(text: str) -> Callable[[Any], Any]:
    """Reads an optimizer of TFF, with what differs from its defaults: `adam(beta_1=0.8)`.

    Raises:
        ValueError: If there is no such optimizer, or it does not take that.
    """
    import tensorflow_federated as tff  # Deferred: it takes seconds.

    builders = {name: getattr(tff.learning.optimizers, f"build_{name}") for name in _OPTIMIZERS}
    # The place of the rate, which comes from `learning_rate`, is taken.
    build = _bound("client_optimizer", text, builders, 0.1)
    try:
        build()  # Now, and not in the first round.
    except (TypeError, ValueError) as error:
        raise ValueError(f"client_optimizer {text!r}: {error}") from error
    return functools.partial(build.func, **build.keywords)


def _bound(
    setting: str, text: str, known: Mapping[str, Callable[..., Any]], *first: Any
) -> functools.partial[Any]:
    """Returns what `text` calls, one of `known`, with its arguments bound after the first ones."""
    try:
        node = ast.parse(text, mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        build = known[_value(call.func)]
        arguments = [*first, *map(_value, call.args)]
        if first and call.args:
            raise TypeError("an optimizer's settings have names")
        keywords = {str(keyword.arg): _value(keyword.value) for keyword in call.keywords}
        inspect.signature(build).bind(*arguments, **keywords)
    except (SyntaxError, KeyError, TypeError, ValueError):
        forms = ", ".join(f"{name}{_parameters(build)}" for name, build in known.items())
        raise ValueError(f"{setting} must be one of {forms}, got {text!r}") from None
    return functools.partial(build, *arguments, **keywords)


def _value(node: ast.expr) -> Any:
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _parameters(build: Callable[..., Any]) -> str:
    """Returns the settings with their defaults, without types and without the rate."""
    shown = [
        name if parameter.default is parameter.empty else f"{name}={parameter.default}"
        for name, parameter in inspect.signature(build).parameters.items()
        if name != "learning_rate"
    ]
    return f"({', '.join(shown)})"
