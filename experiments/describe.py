"""Describes a data set, or an algorithm as the process that is trained on one.

python -m experiments.describe --dataset=synthetic_1_1 --output_dir=results/describe
python -m experiments.describe --algorithm=fed_fa --dataset=synthetic_1_1
python -m experiments.describe --algorithm=fed_adp --dataset=mnist_x_class --model=fed_adp_cnn
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import textwrap
import warnings

import tensorflow_federated as tff
from absl import flags

from experiments import command_line
from experiments.command_line import (
    data_folders,
    dataset_options,
    hyperparameter_flags,
    papers_flag,
)
from experiments.reporting import dataset_figures, dataset_table, sample_sheet
from experiments.runs.algorithms import algorithm as find_algorithm
from experiments.runs.algorithms import build_process
from experiments.runs.communication_costs import communication_here, communication_in_the_paper
from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure
from leaf_data import registry
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.statistics import statistics
from leaf_data.tasks import load_task

_DEFAULT_DATASET = "synthetic_1_1"
_TEXT_WIDTH = 88

_RECIPE_FIELDS = (
    "learning_rate",
    "learning_rate_decay",
    "batch_size",
    "epochs",
    "steps",
    "client_momentum",
    "clients_per_round",
)

_DATASET = dataset_options.define_dataset(None, "The federated data set:")
_ALGORITHM = flags.DEFINE_string(
    "algorithm",
    None,
    f"The algorithm, on --dataset or else on {_DEFAULT_DATASET}, as the types depend on it; or "
    "module:name of your own.",
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where the figures of a data set are written; none are without it."
)
_DATA_SEED = flags.DEFINE_integer("data_seed", 0, "Seeds data and partition.", lower_bound=0)
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
_DATASET_OPTIONS = dataset_options.define_flag()
_MODEL = flags.DEFINE_string(
    "model", None, "--algorithm: the model, where the data set has several; its first."
)
_LEARNING_RATE = flags.DEFINE_float(
    "learning_rate",
    None,
    "--algorithm: the clients' learning rate, needed for data that no recipe knows; the paper's.",
)
flags.adopt_module_key_flags(hyperparameter_flags)
flags.adopt_module_key_flags(papers_flag)
_LEAF_DIR = flags.DEFINE_string(
    "leaf_dir", None, "dataset leaf: the folder with train/*.json and test/*.json."
)
_OF_AN_ALGORITHM = ("model", "learning_rate", "hyperparameter")


def main() -> None:
    """Describes what the flags name."""
    if _ALGORITHM.value is not None:
        if _OUTPUT_DIR.value is not None:
            command_line.exit_for_bad_input(
                "--output_dir is for a data set's figures; leave it or --algorithm out"
            )
        _describe_algorithm(_ALGORITHM.value, _DATASET.value or _DEFAULT_DATASET)
    elif name := next((name for name in _OF_AN_ALGORITHM if flags.FLAGS[name].present), None):
        command_line.exit_for_bad_input(f"--{name} is for an algorithm; leave it out or add one")
    elif _DATASET.value is not None:
        _describe_dataset(_DATASET.value)
    else:
        command_line.exit_for_bad_input("--dataset or --algorithm is needed")


def _describe_dataset(name: str) -> None:
    output_dir = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        with command_line.bad_input_ends_the_program():
            dataset = registry.load(
                name,
                seed=_DATA_SEED.value,
                data_dir=_DATA_DIR.value,
                leaf_dir=_LEAF_DIR.value,
                options=dataset_options.parse(name, _DATASET_OPTIONS.value),
                prepared_dir=_PREPARED_DIR.value,
            )
            if _OUTPUT_DIR.value is not None:
                output_dir = pathlib.Path(_OUTPUT_DIR.value)
                output_dir.mkdir(parents=True, exist_ok=True)
        measured = statistics(dataset)
    print(dataset_table.table_1(measured, dataset.documented))
    print(
        f"\nSamples per client: {measured.min_samples_per_client:,} to "
        f"{measured.max_samples_per_client:,}. Labels per client, in training: "
        f"{measured.min_labels_per_client} to {measured.max_labels_per_client}, "
        f"{measured.mean_labels_per_client:.1f} on average."
    )
    for warning in said:
        print(f"Warning: {warning.message}", file=sys.stderr)
    if output_dir is not None:
        print(f"Written: {', '.join(map(str, _draw(dataset, output_dir)))}.")


def _draw(dataset: FederatedDataset, output_dir: pathlib.Path) -> list[pathlib.Path]:
    figures = {"sizes": dataset_figures.draw_sizes, "samples": sample_sheet.draw_samples}
    if dataset.num_classes is not None:
        figures["labels"] = dataset_figures.draw_labels
    paths = []
    for name, draw in figures.items():
        paths.append(output_dir / f"{dataset.name.replace('/', '_')}_{name}.png")
        draw(dataset, paths[-1])
    return paths


def _describe_algorithm(algorithm: str, dataset: str) -> None:
    with command_line.bad_input_ends_the_program():
        papers_flag.add_papers()
        known = find_algorithm(algorithm).hyperparameters
        configuration = configure(
            algorithm,
            dataset,
            {
                **({} if _LEARNING_RATE.value is None else {"learning_rate": _LEARNING_RATE.value}),
                **hyperparameter_flags.given(algorithm),
                "rounds": 1,
                "model": _MODEL.value,
                "leaf_dir": _LEAF_DIR.value,
                "seeds": Seeds(data=_DATA_SEED.value),
                **dataset_options.parse(dataset, _DATASET_OPTIONS.value),
            },
        )
        task = load_task(
            dataset,
            model=configuration.model,
            data_seed=_DATA_SEED.value,
            data_dir=_DATA_DIR.value,
            leaf_dir=_LEAF_DIR.value,
            options=configuration.dataset_options,
            prepared_dir=_PREPARED_DIR.value,
        )
        # Nothing is trained, so nothing is ever written there.
        process = build_process(configuration, task, variates_dir=pathlib.Path("variates"))
    is_one = "is" if isinstance(process, tff.templates.IterativeProcess) else "is NOT"
    print(
        f"{algorithm} on {dataset} with {configuration.model}: this {type(process).__name__} "
        f"{is_one} a tff.templates.IterativeProcess."
    )
    for name in ("initialize", "next"):
        signature = getattr(process, name).type_signature.formatted_representation()
        print(f"\n{name}:\n{signature}")
    print(f"\nHyperparameters, and what the recipe for {dataset} makes of them:")
    for name, argument in known.items():
        shown = f"default {argument.default}" if argument.has_default else "no default"
        # One that came later than finished runs is not written where it has its default.
        value = configuration.hyperparameters.get(name, argument.default)
        print(f"    {name}: {value} ({shown})")
        if argument.description:
            print(textwrap.indent(textwrap.fill(argument.description, _TEXT_WIDTH), " " * 8))
    print("\nLocal training and cohort by the same recipe:")
    for name, value in dataclasses.asdict(configuration).items():
        if name in _RECIPE_FIELDS:
            print(f"    {name}: {value}")
    print("\nBytes that one client receives and sends in a round:")
    for label, count in (
        ("here", communication_here),
        ("by its protocol", communication_in_the_paper),
    ):
        sent = count(configuration, process)
        print(f"    {label}: {sent.bytes_down:,} down, {sent.bytes_up:,} up")


if __name__ == "__main__":
    command_line.run(main)
