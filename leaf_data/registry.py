"""The data sets by name. A new one is one module and one entry in `_DATA_SETS`.

One of one's own needs neither: it is named `module:name`, or by an entry point of the group
`tff_weights.datasets`. `name` is a function that returns a `FederatedDataset`, such as
`leaf_data.from_arrays` makes; of its arguments `seed`, `data_dir` and `leaf_dir` are given to it,
if it has them, and the others are the data set's options.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

from leaf_data import extensions
from leaf_data.checks import check_name, check_path, check_seed
from leaf_data.data_dir import resolve_data_dir
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.image_datasets import fed_adp, fed_cav, fed_veca, wei_avg
from leaf_data.image_datasets.femnist import femnist
from leaf_data.image_datasets.leaf_femnist import leaf_femnist
from leaf_data.image_datasets.mnist import mnist
from leaf_data.leaf_json.reader import parse_shape, read_leaf_json
from leaf_data.leaf_json.text import as_numbers
from leaf_data.models.by_name import MODELS
from leaf_data.prepared.folder import load_prepared
from leaf_data.sent140 import leaf_sent140, sent140
from leaf_data.sent140.datasets import LEARNED
from leaf_data.shakespeare import leaf_shakespeare, shakespeare
from leaf_data.synthetic import synthetic, synthetic_dirichlet


def _leaf(*, leaf_dir: str, shape: str = "", embeddings: str = "") -> FederatedDataset:
    """LEAF's JSON; its split is in its files, so that nothing is random.

    LEAF writes images as flat lists; `shape`, such as 28x28 or 32x32x3, makes images of them again.
    Text becomes numbers, see `leaf_json.text`; `embeddings` is what stands for words, as in
    `sent140`, learned if it is not given.
    """
    dataset = read_leaf_json(leaf_dir, shape=parse_shape(shape) if shape else None)
    return as_numbers(dataset, embeddings=embeddings or LEARNED)


class _DataSet:
    """A data set by name.

    Attributes:
        load: Its loader.
        models: The names of the models that are trained on it, the default first.
        arguments: The loader's arguments with their defaults, all given by keyword: those of
            `_COMMON` that it needs, and its options.
    """

    def __init__(
        self,
        load: Callable[..., FederatedDataset],
        *models: str,
        kinds: tuple[Any, ...] = (inspect.Parameter.KEYWORD_ONLY,),
    ):
        self.load = load
        self.models = models
        self.arguments = {
            key: parameter.default
            for key, parameter in inspect.signature(load).parameters.items()
            if parameter.kind in kinds
            and key not in _SAID_BY_THE_NAME
            and isinstance(parameter.default, _OF_OPTIONS)
        }


ENTRY_POINTS = "tff_weights.datasets"
_COMMON = ("seed", "data_dir", "leaf_dir")
_SAID_BY_THE_NAME = ("iid",)
# An argument without a default has a class as one; what has another is left to its loader.
_OF_OPTIONS = (bool, int, float, str, type, type(None))


def _of_images(load: Callable[..., FederatedDataset], *models: str) -> _DataSet:
    """A data set of images, which small networks are trained on as well: some papers name none."""
    return _DataSet(load, *dict.fromkeys([*models, "le_net", "perceptron"]))


_DATA_SETS: dict[str, _DataSet] = {
    "synthetic_iid": _DataSet(functools.partial(synthetic, iid=True), "logistic_regression"),
    "synthetic_0_0": _DataSet(functools.partial(synthetic, 0.0, 0.0), "logistic_regression"),
    "synthetic_0.5_0.5": _DataSet(functools.partial(synthetic, 0.5, 0.5), "logistic_regression"),
    "synthetic_1_1": _DataSet(functools.partial(synthetic, 1.0, 1.0), "logistic_regression"),
    "synthetic_dirichlet_0.1": _DataSet(
        functools.partial(synthetic_dirichlet, 0.1), "logistic_regression"
    ),
    "synthetic_dirichlet_0.5": _DataSet(
        functools.partial(synthetic_dirichlet, 0.5), "logistic_regression"
    ),
    "synthetic_dirichlet_3": _DataSet(
        functools.partial(synthetic_dirichlet, 3.0), "logistic_regression"
    ),
    "synthetic_dirichlet_5": _DataSet(
        functools.partial(synthetic_dirichlet, 5.0), "logistic_regression"
    ),
    "mnist": _of_images(mnist, "image_logistic_regression"),
    "femnist": _of_images(femnist, "image_logistic_regression"),
    "leaf_femnist": _of_images(leaf_femnist, "fed_adp_cnn", "image_logistic_regression"),
    "mnist_x_class": _of_images(
        functools.partial(fed_adp.x_class, "mnist"),
        "fed_adp_cnn",
        "image_logistic_regression",
        "fed_adp_cnn_unpadded",
    ),
    "fashion_mnist_x_class": _of_images(
        functools.partial(fed_adp.x_class, "fashion_mnist"),
        "fed_adp_cnn",
        "image_logistic_regression",
        "fed_adp_cnn_unpadded",
    ),
    "mnist_mixed_classes": _of_images(
        fed_adp.mnist_mixed_classes, "fed_adp_cnn", "image_logistic_regression"
    ),
    "mnist_general_case_1": _of_images(
        functools.partial(fed_adp.mnist_general_case, 1), "fed_adp_cnn", "image_logistic_regression"
    ),
    "mnist_general_case_2": _of_images(
        functools.partial(fed_adp.mnist_general_case, 2), "fed_adp_cnn", "image_logistic_regression"
    ),
    "mnist_case_1": _of_images(
        functools.partial(fed_veca.case, "mnist", 1), "squared_svm", "fed_veca_cnn"
    ),
    "mnist_case_2": _of_images(
        functools.partial(fed_veca.case, "mnist", 2), "squared_svm", "fed_veca_cnn"
    ),
    "mnist_case_3": _of_images(
        functools.partial(fed_veca.case, "mnist", 3), "squared_svm", "fed_veca_cnn"
    ),
    "cifar10_case_1": _of_images(functools.partial(fed_veca.case, "cifar10", 1), "fed_veca_cnn"),
    "cifar10_case_2": _of_images(functools.partial(fed_veca.case, "cifar10", 2), "fed_veca_cnn"),
    "cifar10_case_3": _of_images(functools.partial(fed_veca.case, "cifar10", 3), "fed_veca_cnn"),
    "mnist_entropy": _of_images(
        functools.partial(wei_avg.entropy, "mnist", num_samples=3000), "fed_adp_cnn"
    ),
    "fashion_mnist_entropy": _of_images(
        functools.partial(wei_avg.entropy, "fashion_mnist", num_samples=4000), "fed_adp_cnn"
    ),
    "cifar10_entropy": _of_images(
        functools.partial(wei_avg.entropy, "cifar10", num_samples=4000), "fed_adp_cnn"
    ),
    "mnist_major_minor": _of_images(fed_cav.mnist_major_minor, "le_net"),
    "sent140": _DataSet(sent140, "sentiment_lstm"),
    "shakespeare": _DataSet(shakespeare, "next_character_lstm"),
    "leaf_sent140": _DataSet(leaf_sent140, "sentiment_lstm"),
    "leaf_shakespeare": _DataSet(leaf_shakespeare, "next_character_lstm"),
    "leaf": _DataSet(_leaf, *MODELS),
}


def names() -> list[str]:
    """The names of all data sets: those that are here, and those of installed entry points."""
    return [*_DATA_SETS, *extensions.entry_points(ENTRY_POINTS)]


def dataset_name(name: str) -> str:
    """The name of a data set in a run's configuration.

    Args:
        name: One of `names()`, or `module:name`.

    Returns:
        The name itself; of an entry point `module:name`, so that the run says what it was.

    Raises:
        ValueError: If there is no such data set.
    """
    check_name("name", name)
    reference = extensions.reference_of(name, ENTRY_POINTS, taken=_DATA_SETS)
    if reference is None and name not in _DATA_SETS:
        raise ValueError(
            f"name is {name!r}; it must be one of {', '.join(names())}, or module:name of one's"
            " own."
        )
    return reference or name


def models(name: str) -> tuple[str, ...]:
    """The names of a data set's models, the default first.

    Args:
        name: As `dataset_name` takes it. One's own may be trained with any model that fits it; its
            module is not imported for that.

    Raises:
        ValueError: If the name is unknown.
    """
    name = dataset_name(name)
    return tuple(MODELS) if extensions.is_reference(name) else _DATA_SETS[name].models


def options(name: str) -> dict[str, Any]:
    """The options of a data set, which `load` takes, with their defaults.

    Args:
        name: As `dataset_name` takes it.

    Returns:
        The keyword arguments of the data set's loader other than seed and folders.

    Raises:
        ValueError: If the name is unknown, or one's own cannot be imported.
    """
    arguments = _data_set(name).arguments
    return {key: value for key, value in arguments.items() if key not in _COMMON}


def load(
    name: str,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    leaf_dir: str | None = None,
    options: Mapping[str, Any] | None = None,
    prepared_dir: str | None = None,
) -> FederatedDataset:
    """Loads or generates a data set.

    Args:
        name: As `dataset_name` takes it.
        seed: The seed of the generation or the partition, the train/test split included: the same
            name, options and seed give the same numbers in any process. `leaf` has its split in its
            files and no use for it.
        data_dir: The folder of raw and cached files; None for the default. Generated data sets need
            none.
        leaf_dir: The folder with LEAF's JSON in `train/*.json` and `test/*.json`; for the data sets
            that take it. `leaf` needs it.
        options: Values for some of `options(name)`, such as the number of clients; the others keep
            their defaults, which are the paper's.
        prepared_dir: A folder in which the data set is kept in TFF's SQLite form; see
            `prepared.folder.load_prepared`. If it is there with the same name, seed, options and
            `leaf_dir`, it is read from there, and nothing else is looked at.

    Returns:
        The data set.

    Raises:
        ValueError: If the name or an option is unknown, an option has the wrong type or is out of
            range, or leaf_dir is missing for `leaf` or given for a data set that does not take it.
        DataError: If the data cannot be read.
    """
    check_seed("seed", seed)
    for key, folder in {
        "data_dir": data_dir,
        "leaf_dir": leaf_dir,
        "prepared_dir": prepared_dir,
    }.items():
        if folder is not None:
            check_path(key, folder)
    if not isinstance(options, (Mapping, type(None))):
        raise ValueError(f"options is {options!r}; it must be a mapping from names to values.")
    found = _data_set(name)
    arguments = dict(found.arguments)
    chosen = dict(options or {})
    _check_options(name, chosen)
    if leaf_dir is not None and "leaf_dir" not in arguments:
        takers = [key for key, other in _DATA_SETS.items() if "leaf_dir" in other.arguments]
        raise ValueError(
            f"leaf_dir is {leaf_dir!r}; only {', '.join(map(repr, takers))} take it, not {name!r}."
        )
    if leaf_dir is None and arguments.get("leaf_dir") is inspect.Parameter.empty:
        raise ValueError(f"leaf_dir is None; the data set {name!r} needs the folder to read.")
    common = {"seed": seed, "data_dir": data_dir, "leaf_dir": leaf_dir}
    arguments.update({key: value for key, value in common.items() if key in arguments}, **chosen)
    for key, value in arguments.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"options lacks {key!r}, which the data set {name!r} needs.")
    load_from_source = functools.partial(_checked, name, found.load, **arguments)
    if prepared_dir is None:
        return load_from_source()
    request: dict[str, Any] = {"name": name, **arguments}
    request.pop("data_dir", None)
    if name not in _DATA_SETS:
        request["sources"] = extensions.checksums([dataset_name(name)])
    if leaf_dir is not None:
        request["leaf_dir"] = os.path.abspath(leaf_dir)
    return load_prepared(
        prepared_dir, request, load_from_source, raw_dir=resolve_data_dir(data_dir)
    )


def _data_set(name: str) -> _DataSet:
    name = dataset_name(name)
    return _own(name) if extensions.is_reference(name) else _DATA_SETS[name]


@functools.cache
def _own(reference: str) -> _DataSet:
    load_own = extensions.load(reference)
    if not callable(load_own):
        raise ValueError(
            f"{reference!r} is a {type(load_own).__name__}; it must be a function that returns a"
            " FederatedDataset."
        )
    by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return _DataSet(load_own, kinds=by_name)


def _checked(name: str, load_it: Callable[..., Any], **arguments: Any) -> FederatedDataset:
    dataset = load_it(**arguments)
    if not isinstance(dataset, FederatedDataset):
        raise ValueError(
            f"data set {name!r} returned a {type(dataset).__name__}; it must be a FederatedDataset,"
            " such as leaf_data.from_arrays makes."
        )
    return dataset


def _check_options(name: str, chosen: Mapping[str, Any]) -> None:
    known = options(name)
    for key, value in chosen.items():
        if key not in known:
            raise ValueError(
                f"options has {key!r}; data set {name!r} has"
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
