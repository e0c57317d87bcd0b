"""Local settings that are written as text, such as `uniform(1, 20)` or `cosine(100, by=step)`.

A run's configuration holds the text; here it becomes what `LocalTraining` takes.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tff_weights.client_work.schedules import CosineDecay, ExponentialDecay, StepDecay
from tff_weights.client_work.uniform_epochs import UniformEpochs

_KNOWN: dict[str, dict[str, Callable[..., Any]]] = {
    "epochs_per_client": {"uniform": UniformEpochs},
    "learning_rate_schedule": {
        "step": StepDecay,
        "exponential": ExponentialDecay,
        "cosine": CosineDecay,
    },
}
# Not Adafactor, which TFF cannot run in a loop inside a graph.
_OPTIMIZERS = ("adagrad", "adam", "adamw", "rmsprop", "yogi")


def read(setting: str, text: str | None) -> Any:
    """Returns the value that the text of a setting stands for; None for None.

    Args:
        setting: `epochs_per_client` becomes `UniformEpochs`, `learning_rate_schedule` a `Schedule`
            and `client_optimizer` a function from the learning rate to an optimizer of TFF.
        text: A call, as in `cosine(100, by=step)` or `adam(beta_1=0.8)`.

    Raises:
        ValueError: If it calls something unknown, or an argument is out of range.
    """
    if text is None:
        return None
    known, rate = _KNOWN.get(setting, {}), []
    if setting == "client_optimizer":
        import tensorflow_federated as tff  # Deferred: it takes seconds.

        known = {name: getattr(tff.learning.optimizers, f"build_{name}") for name in _OPTIMIZERS}
        rate = [0.1]  # The rate comes from `learning_rate`.
    build = _bound(setting, text, known, *rate)
    try:
        made = build()  # Raises errors now instead of in the first round.
    except (TypeError, ValueError) as error:
        raise ValueError(f"{setting} {text!r}: {error}") from error
    return functools.partial(build.func, **build.keywords) if rate else made


def _bound(
    setting: str, text: str, known: Mapping[str, Callable[..., Any]], *first: Any
) -> functools.partial[Any]:
    """Returns the function in `known` that `text` calls, with its arguments bound."""
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
