"""What can be told about an algorithm's builder from its signature and its docstring."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import docstring_parser

if TYPE_CHECKING:
    import tff_weights

# Arguments of the builders that the task or the common configuration decides.
OF_THE_RUN = (
    "local_training",
    "num_clients",
    "clients_per_round",
    "sampling_seed",
    "store_dir",
    "variates_dir",
    "inner_factory",
    "correct_fn",
    "wrap_client_work",
)
_KINDS = (bool, int, float, str)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclasses.dataclass(frozen=True)
class Argument:
    """One hyperparameter of a builder.

    Attributes:
        name: Its name.
        default: `inspect.Parameter.empty` where there is none.
        kind: `bool`, `int`, `float` or `str`, by the annotation or else by the default; or None.
        description: What the docstring says of it; may be empty.
    """

    name: str
    default: Any
    kind: type | None
    description: str

    @property
    def has_default(self) -> bool:
        """Whether it may be left out."""
        return self.default is not inspect.Parameter.empty


def hyperparameters(build: Callable[..., Any]) -> dict[str, Argument]:
    """Returns the hyperparameters of a builder, whose docstring is in Google's style, by name.

    These are all arguments except the first one, the model, and those in `OF_THE_RUN`. An argument
    whose default cannot be stored in a run's configuration is left out, too.
    """
    _, *parameters = inspect.signature(build).parameters.values()
    described = {
        parameter.arg_name: " ".join((parameter.description or "").split())
        for parameter in docstring_parser.parse(
            inspect.getdoc(build) or "", style=docstring_parser.DocstringStyle.GOOGLE
        ).params
    }
    return {
        parameter.name: Argument(
            parameter.name, parameter.default, _kind(parameter), described.get(parameter.name, "")
        )
        for parameter in parameters
        if parameter.name not in OF_THE_RUN
        and parameter.kind in _BY_NAME
        and (
            parameter.default is None
            or parameter.default is inspect.Parameter.empty
            or isinstance(parameter.default, _KINDS)
        )
    }


def _kind(parameter: inspect.Parameter) -> type | None:
    """Reads `float`, `float | None`, `Optional[float]` and the like, as types or as their text."""
    annotation = parameter.annotation
    if isinstance(annotation, str):
        text = annotation.replace("typing.", "").replace("Optional[", "").replace("]", "")
        names = {name.strip() for name in text.split("|")} - {"None"}
    else:
        options = typing.get_args(annotation) or (annotation,)
        names = {getattr(option, "__name__", "") for option in options} - {"NoneType"}
    for kind in _KINDS:
        if names == {kind.__name__}:
            return kind
    return type(parameter.default) if isinstance(parameter.default, _KINDS) else None


def is_builder(found: Any) -> bool:
    """Says whether something builds an algorithm: whether it takes `local_training`."""
    return callable(found) and "local_training" in inspect.signature(found).parameters


def builder_around(
    weighting: tff_weights.Weighting | Callable[..., tff_weights.Weighting], *, name: str
) -> Callable[..., Any]:
    """Returns the builder of the algorithm that is plain local SGD with a weighting.

    Args:
        weighting: A weighting, or a function that returns one. The function's arguments become the
            builder's hyperparameters, except `num_clients`, which is the data set's number of
            clients. The builder also takes over its signature and docstring.
        name: What it is called in messages.

    Raises:
        ValueError: If it is neither.
    """
    import tff_weights  # Deferred: it takes seconds.

    if isinstance(weighting, tff_weights.Weighting):
        own: list[inspect.Parameter] = []
    elif callable(weighting):
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(weighting).parameters.values()
            if parameter.kind in _BY_NAME
        ]
    else:
        raise ValueError(
            f"{name} is a {type(weighting).__name__}; it must be a builder (model, *, "
            "local_training, ...), a tff_weights.Weighting or a function that returns one, or an "
            "experiments.declaration.Algorithm"
        )

    def build(
        model: Any,
        *,
        local_training: tff_weights.LocalTraining,
        correct_fn: Any = None,
        wrap_client_work: Any = None,
        inner_factory: Any = None,
        **given: Any,
    ) -> Any:
        found = weighting if isinstance(weighting, tff_weights.Weighting) else weighting(**given)
        if not isinstance(found, tff_weights.Weighting):
            raise ValueError(
                f"{name} returned a {type(found).__name__}; it must be a tff_weights.Weighting, as "
                "it takes no local_training"
            )
        return tff_weights.compose_algorithm(
            model,
            local_training=local_training,
            weighting=found,
            correct_fn=correct_fn,
            wrap_client_work=wrap_client_work,
            inner_factory=inner_factory,
        )

    signature = inspect.signature(build)
    common = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    wrapped: Any = functools.wraps(weighting)(build) if callable(weighting) else build
    wrapped.__signature__ = signature.replace(parameters=[*common, *own])
    return wrapped
