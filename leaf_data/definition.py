"""What is known of a data set before it is loaded: its loader, models and options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from leaf_data import extensions

if TYPE_CHECKING:
    from leaf_data.federated_dataset import FederatedDataset

_COMMON = ("seed", "data_dir", "leaf_dir")
_SAID_BY_THE_NAME = ("iid",)
# A run can set arguments with such defaults, or without one; others are left to the loader.
_OF_OPTIONS = (bool, int, float, str, type, type(None))


class DataSetDefinition:
    """A data set by name. Its loader needs TensorFlow and is imported when it is called.

    Attributes:
        name: The name in a run's configuration.
        models: The names of the models that are trained on it, the default first; None for all.
    """

    def __init__(
        self,
        loader: str,
        *arguments: Any,
        models: tuple[str, ...] | None,
        kinds: tuple[Any, ...] = (inspect.Parameter.KEYWORD_ONLY,),
        **settings: Any,
    ):
        """Names the loader.

        Args:
            loader: `module:name` of a function that returns a `FederatedDataset`.
            arguments: Its positional arguments.
            models: As the attribute.
            kinds: The kinds of arguments that a run can give it.
            settings: Other defaults of its keyword arguments.
        """
        self.name = loader
        self.models = models
        self._loader = loader
        self._arguments = arguments
        self._kinds = kinds
        self._settings = settings

    @functools.cached_property
    def load(self) -> Callable[..., FederatedDataset]:
        """The loader.

        Raises:
            ValueError: If it cannot be imported, or is no function.
        """
        loader = extensions.load(self._loader)
        if not callable(loader):
            raise ValueError(
                f"{self._loader!r} is a {type(loader).__name__}; it must be a function that"
                " returns a FederatedDataset."
            )
        return self._with_defaults(loader)

    def _with_defaults(self, loader: Callable[..., Any]) -> Callable[..., Any]:
        return functools.partial(loader, *self._arguments, **self._settings)

    @functools.cached_property
    def arguments(self) -> dict[str, Any]:
        """The loader's arguments with their defaults: those of every data set, and its options.

        Raises:
            ValueError: As `load`.
        """
        outline = extensions.outline(self._loader)
        loader = self.load if outline is None else self._with_defaults(outline)
        return {
            key: parameter.default
            for key, parameter in inspect.signature(loader).parameters.items()
            if parameter.kind in self._kinds
            and not (key in _SAID_BY_THE_NAME and self._loader.startswith(f"{__package__}."))
            and isinstance(parameter.default, _OF_OPTIONS)
        }

    @property
    def options(self) -> dict[str, Any]:
        """What a run can set, with defaults; `inspect.Parameter.empty` where there is none.

        Raises:
            ValueError: As `load`.
        """
        return {key: value for key, value in self.arguments.items() if key not in _COMMON}


def check_options(found: DataSetDefinition, chosen: Mapping[str, Any]) -> None:
    """Checks options of a data set.

    Raises:
        ValueError: If the data set has no such option, or a value is of another type.
    """
    known = found.options
    for key, value in chosen.items():
        if key not in known:
            raise ValueError(
                f"options has {key!r}; data set {found.name!r} has"
                f" {', '.join(map(repr, known)) or 'no options'}."
            )
        default = known[key]
        if default is inspect.Parameter.empty:
            continue
        allowed = (int, float) if isinstance(default, float) else (type(default),)
        right = isinstance(value, allowed) and isinstance(value, bool) == isinstance(default, bool)
        if default is not None and not right:
            raise ValueError(
                f"options[{key!r}] is {value!r}; it must be of the type of its default {default!r}."
            )


def load_checked(found: DataSetDefinition, **arguments: Any) -> FederatedDataset:
    """Calls the loader of a data set, and checks that it returns one.

    Raises:
        ValueError: If it does not.
    """
    from leaf_data.federated_dataset import FederatedDataset  # Deferred: it needs TensorFlow.

    dataset = found.load(**arguments)
    if not isinstance(dataset, FederatedDataset):
        raise ValueError(
            f"data set {found.name!r} returned a {type(dataset).__name__}; it must be a"
            " FederatedDataset, such as leaf_data.from_arrays makes."
        )
    return dataset
