"""The data sets by name. A new one is one module and one entry in `_DATA_SETS`.

A user's data set needs neither: it is named `module:name`, or by an entry point of the group
`tff_weights.datasets`. `name` is a function that returns a `FederatedDataset`, such as
`leaf_data.from_arrays` makes. Its arguments `seed`, `data_dir` and `leaf_dir`, if it has them, get
the run's values; its other arguments are the data set's options.
"""

from __future__ import annotations

import functools
import inspect
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from leaf_data import extensions, raw_files
from leaf_data.checks import check_name, check_path, check_seed
from leaf_data.data_dir import resolve_data_dir
from leaf_data.definition import DataSetDefinition, check_options, load_checked

if TYPE_CHECKING:
    from leaf_data.federated_dataset import FederatedDataset


ENTRY_POINTS = "tff_weights.datasets"

_MLR = ("logistic_regression",)
_IMAGE_MLR = ("image_logistic_regression",)
_FED_ADP = ("fed_adp_cnn", "image_logistic_regression", "fed_adp_cnn_unpadded")
_FED_VECA_SVM = ("squared_svm", "fed_veca_cnn")


def _in(
    module: str, name: str, *arguments: Any, models: tuple[str, ...] | None, **settings: Any
) -> DataSetDefinition:
    if models is not None and module.startswith("image_datasets."):
        # Small networks are also trained on all images, because some papers name no model.
        models = tuple(dict.fromkeys([*models, "le_net", "perceptron"]))
    return DataSetDefinition(f"leaf_data.{module}:{name}", *arguments, models=models, **settings)


def _x_class(source: str) -> DataSetDefinition:
    return _in("image_datasets.fed_adp", "x_class", source, models=_FED_ADP)


def _case(source: str, number: int, models: tuple[str, ...]) -> DataSetDefinition:
    return _in("image_datasets.fed_veca", "case", source, number, models=models)


def _entropy(source: str, num_samples: int) -> DataSetDefinition:
    return _in(
        "image_datasets.wei_avg",
        "entropy",
        source,
        models=("fed_adp_cnn",),
        num_samples=num_samples,
    )


_DATA_SETS: dict[str, DataSetDefinition] = {
    "synthetic_iid": _in("synthetic", "synthetic", models=_MLR, iid=True),
    "synthetic_0_0": _in("synthetic", "synthetic", 0.0, 0.0, models=_MLR),
    "synthetic_0.5_0.5": _in("synthetic", "synthetic", 0.5, 0.5, models=_MLR),
    "synthetic_1_1": _in("synthetic", "synthetic", 1.0, 1.0, models=_MLR),
    "synthetic_dirichlet_0.1": _in("synthetic", "synthetic_dirichlet", 0.1, models=_MLR),
    "synthetic_dirichlet_0.5": _in("synthetic", "synthetic_dirichlet", 0.5, models=_MLR),
    "synthetic_dirichlet_3": _in("synthetic", "synthetic_dirichlet", 3.0, models=_MLR),
    "synthetic_dirichlet_5": _in("synthetic", "synthetic_dirichlet", 5.0, models=_MLR),
    "mnist": _in("image_datasets.mnist", "mnist", models=_IMAGE_MLR),
    "fashion_mnist": _in("image_datasets.mnist", "mnist", "fashion_mnist", models=_IMAGE_MLR),
    "femnist": _in("image_datasets.femnist", "femnist", models=_IMAGE_MLR),
    "leaf_femnist": _in("image_datasets.leaf_femnist", "leaf_femnist", models=_FED_ADP),
    "mnist_x_class": _x_class("mnist"),
    "fashion_mnist_x_class": _x_class("fashion_mnist"),
    "mnist_mixed_classes": _in("image_datasets.fed_adp", "mnist_mixed_classes", models=_FED_ADP),
    "mnist_general_case_1": _in("image_datasets.fed_adp", "mnist_general_case", 1, models=_FED_ADP),
    "mnist_general_case_2": _in("image_datasets.fed_adp", "mnist_general_case", 2, models=_FED_ADP),
    "mnist_case_1": _case("mnist", 1, _FED_VECA_SVM),
    "mnist_case_2": _case("mnist", 2, _FED_VECA_SVM),
    "mnist_case_3": _case("mnist", 3, _FED_VECA_SVM),
    "cifar10_case_1": _case("cifar10", 1, ("fed_veca_cnn",)),
    "cifar10_case_2": _case("cifar10", 2, ("fed_veca_cnn",)),
    "cifar10_case_3": _case("cifar10", 3, ("fed_veca_cnn",)),
    "mnist_entropy": _entropy("mnist", 3000),
    "fashion_mnist_entropy": _entropy("fashion_mnist", 4000),
    "cifar10_entropy": _entropy("cifar10", 4000),
    "mnist_major_minor": _in("image_datasets.fed_cav", "mnist_major_minor", models=("le_net",)),
    "sent140": _in("sent140.datasets", "sent140", models=("sentiment_lstm",)),
    "shakespeare": _in("shakespeare.datasets", "shakespeare", models=("next_character_lstm",)),
    "leaf_sent140": _in("sent140.datasets", "leaf_sent140", models=("sentiment_lstm",)),
    "leaf_shakespeare": _in(
        "shakespeare.datasets", "leaf_shakespeare", models=("next_character_lstm",)
    ),
    "leaf": _in("leaf_json.by_name", "leaf", models=None),
}
for _name, _definition in _DATA_SETS.items():
    _definition.name = _name


def names() -> list[str]:
    """The names of all data sets: those of this package, and those of installed entry points."""
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


def models(name: str | DataSetDefinition) -> tuple[str, ...]:
    """The names of a data set's models, the default first.

    Args:
        name: As `definition` takes it. A user's data set may be trained with any model that fits
            it; its module is not imported here.

    Raises:
        ValueError: If the name is unknown.
    """
    known = definition(name).models
    if known is not None:
        return known
    from leaf_data.models.by_name import MODELS  # Deferred: it needs TensorFlow.

    return tuple(MODELS)


def model_name(dataset: str | DataSetDefinition, model: str | None = None) -> str:
    """The name of the model that is trained on a data set.

    Args:
        dataset: As `load` takes it.
        model: One of `models(dataset)`, or `module:name` of your own, see `models.own_model`. If
            None, the first of `models(dataset)`.

    Raises:
        ValueError: If a name is unknown.
    """
    dataset = definition(dataset)
    known = models(dataset)
    if model is None:
        return known[0]
    check_name("model", model)
    if model not in known and not extensions.is_reference(model):
        raise ValueError(
            f"model is {model!r}; for data set {dataset.name!r} it must be one of"
            f" {', '.join(known)}, or module:name of your own."
        )
    return model


def options(name: str) -> dict[str, Any]:
    """The options of a data set, which `load` takes, with their defaults.

    Args:
        name: As `dataset_name` takes it.

    Returns:
        The keyword arguments of the data set's loader other than seed and folders.

    Raises:
        ValueError: If the name is unknown, or your own data set cannot be imported.
    """
    return definition(name).options


def load(
    name: str | DataSetDefinition,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    leaf_dir: str | None = None,
    options: Mapping[str, Any] | None = None,
    prepared_dir: str | None = None,
) -> FederatedDataset:
    """Loads or generates a data set.

    Args:
        name: As `definition` takes it.
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
            `leaf_dir`, it is read from there. Raw files are only compared with what they were.

    Returns:
        The data set.

    Raises:
        ValueError: If the name or an option is unknown, or an option has the wrong type or is out
            of range. Also if leaf_dir is missing for `leaf`, or given for a data set that does not
            take it.
        DataError: If the data cannot be read.
    """
    check_seed("seed", seed)
    seed = int(seed)
    for key, folder in {
        "data_dir": data_dir,
        "leaf_dir": leaf_dir,
        "prepared_dir": prepared_dir,
    }.items():
        if folder is not None:
            check_path(key, folder)
    if not isinstance(options, (Mapping, type(None))):
        raise ValueError(f"options is {options!r}; it must be a mapping from names to values.")
    found = definition(name)
    name = found.name
    arguments = dict(found.arguments)
    chosen = dict(options or {})
    check_options(found, chosen)
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
    load_from_source = functools.partial(load_checked, found, **arguments)
    if prepared_dir is None:
        return load_from_source()
    request: dict[str, Any] = {"name": name, **arguments}
    folder = request.pop("data_dir", None)
    vectors = str(request.get("embeddings", "")).partition("glove:")[2]
    if os.path.exists(vectors):  # In the working directory; else in the folder of raw data.
        request["embeddings"] = f"glove:{os.path.abspath(vectors)}"
    if extensions.is_reference(name):
        request["data_dir"] = None if folder is None else os.path.abspath(folder)
        request["sources"] = extensions.checksums([name])
        request["working_dir"] = os.getcwd()  # Relative names of files begin there.
        load_from_source = functools.partial(_noting_files, arguments, load_from_source)
    elif leaf_dir is not None:
        folders = {key: request[key] for key in ("leaf_dir", "images") if request.get(key)}
        request.update((key, os.path.abspath(folder)) for key, folder in folders.items())
    from leaf_data.prepared.folder import load_prepared  # Deferred: it needs TensorFlow.

    return load_prepared(
        prepared_dir, request, load_from_source, raw_dir=resolve_data_dir(data_dir)
    )


def _noting_files(
    arguments: Mapping[str, Any], load: Callable[[], FederatedDataset]
) -> FederatedDataset:
    """Loads a user's data set, and notes the files and folders that its function is given.

    The folder of all raw data is left out: to read all of it may take minutes.
    """
    named = (each for key, each in arguments.items() if key != "data_dir")
    given = [each for each in named if isinstance(each, (str, os.PathLike))]
    for path in map(pathlib.Path, filter(os.path.exists, given)):
        for file in (path, *path.rglob("*")):
            raw_files.note(file)
    return load()


def definition(name: str | DataSetDefinition) -> DataSetDefinition:
    """What is known of a data set.

    Args:
        name: As `dataset_name` takes it; or a definition, which is returned. A user's module is not
            imported here.

    Raises:
        ValueError: If the name is unknown.
    """
    if isinstance(name, DataSetDefinition):
        return name
    name = dataset_name(name)
    return _own(name) if extensions.is_reference(name) else _DATA_SETS[name]


@functools.cache
def _own(reference: str) -> DataSetDefinition:
    by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return DataSetDefinition(reference, models=None, kinds=by_name)
