"""Describes a data set, or an algorithm as the process that is trained on one.

python -m experiments.describe --dataset=synthetic_1_1 --output_dir=results/describe
python -m experiments.describe --algorithm=fed_fa --dataset=synthetic_1_1
python -m experiments.describe --algorithm=fed_adp --dataset=mnist_x_class --model=fed_adp_cnn
"""

from __future__ import annotations

import os
import pathlib
import sys
import textwrap
import warnings
from typing import TYPE_CHECKING

from absl import flags

from experiments import command_line
from experiments.command_line import hyperparameter_flags, setting_flags, shared_flags
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configure import configure
from experiments.runs.options import options
from leaf_data import registry

if TYPE_CHECKING:
    from leaf_data.federated_dataset import FederatedDataset

_DEFAULT_DATASET = "synthetic_1_1"
_TEXT_WIDTH = 88

_DATASET = setting_flags.define_dataset("The federated data set:")
_ALGORITHM = flags.DEFINE_string(
    "algorithm",
    None,
    f"The algorithm, on --dataset or else on {_DEFAULT_DATASET}, as the types depend on it; or "
    "module:name of your own.",
)
_OUTPUT_DIR = shared_flags.define_path(
    "output_dir", None, "Where the figures of a data set are written; none are without it."
)
setting_flags.define_dataset_option()
for _option in ("model", "learning_rate", "leaf_dir", "data_seed"):
    setting_flags.define_one(_option)
shared_flags.define("data_dir", "prepared_dir", "papers")
flags.adopt_module_key_flags(hyperparameter_flags)


def main() -> None:
    """Describes what the flags name."""
    if _ALGORITHM.value is not None:
        if _OUTPUT_DIR.value is not None:
            command_line.exit_for_bad_input(
                "--output_dir is for a data set's figures; leave it or --algorithm out"
            )
        _describe_algorithm(_ALGORITHM.value, _DATASET.value or _DEFAULT_DATASET)
        return
    for name in ("model", "learning_rate", "hyperparameter"):
        if flags.FLAGS[name].present:
            command_line.exit_for_bad_input(
                f"--{name} is for an algorithm; leave it out or add one"
            )
    if _DATASET.value is None:
        command_line.exit_for_bad_input("--dataset or --algorithm is needed")
    _describe_dataset(_DATASET.value)


def _describe_dataset(name: str) -> None:
    from leaf_data.description import table
    from leaf_data.statistics import statistics

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        with command_line.bad_input_ends_the_program():
            dataset = registry.load(
                name,
                seed=flags.FLAGS["data_seed"].value or 0,
                leaf_dir=flags.FLAGS["leaf_dir"].value,
                options=setting_flags.dataset_options(name),
                **shared_flags.data_folders(),
            )
            if _OUTPUT_DIR.value is not None:
                os.makedirs(_OUTPUT_DIR.value, exist_ok=True)
        measured = statistics(dataset)
    print(table.table_1(measured, dataset.documented))
    labels = (
        f" Labels per client, in training: {measured.min_labels_per_client} to "
        f"{measured.max_labels_per_client}, {measured.mean_labels_per_client:.1f} on average."
    )
    print(
        f"\nSamples per client: {measured.min_samples_per_client:,} to "
        f"{measured.max_samples_per_client:,}.{'' if dataset.num_classes is None else labels}"
    )
    for warning in said:
        print(f"Warning: {warning.message}", file=sys.stderr)
    if _OUTPUT_DIR.value is not None:
        _draw(dataset, pathlib.Path(_OUTPUT_DIR.value))


def _draw(dataset: FederatedDataset, output_dir: pathlib.Path) -> None:
    import matplotlib.pyplot as plt

    from leaf_data.description import figures, samples

    pictures = {"sizes": figures.draw_sizes, "samples": samples.draw_samples}
    if dataset.num_classes is not None:
        pictures["labels"] = figures.draw_labels
    paths = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # Tweets have all characters.
        for picture, draw in pictures.items():
            paths.append(output_dir / f"{dataset.name.replace('/', '_')}_{picture}.png")
            figure = draw(dataset)
            figure.savefig(paths[-1], dpi=120)
            plt.close(figure)
    print(f"Written: {', '.join(map(str, paths))}.")


def _describe_algorithm(algorithm: str, dataset: str) -> None:
    import tensorflow_federated as tff

    from experiments.runs.learning_process import build_process, bytes_per_client
    from experiments.runs.training import load_data

    with command_line.bad_input_ends_the_program():
        given = setting_flags.given(dataset)
        seeds = Seeds(data=given.pop("data_seed", 0))
        given.update(hyperparameter_flags.given(algorithm), rounds=1, seeds=seeds)
        described = configure(algorithm, dataset, given)
        task = load_data(described, **shared_flags.data_folders())
        # Nothing is trained, so nothing is ever written there.
        process = build_process(described, task, store_dir=pathlib.Path("variates"))
    configuration = described.configuration
    print(f"{algorithm} on {dataset} with {configuration.model}")
    print(f"\nHyperparameters, and what the recipe for {dataset} makes of them:")
    for name, argument in described.algorithm.hyperparameters.items():
        shown = f"default {argument.default}" if argument.has_default else "no default"
        print(f"    {name}: {configuration.hyperparameters[name]} ({shown})")
        if argument.description:
            print(textwrap.indent(textwrap.fill(argument.description, _TEXT_WIDTH), " " * 8))
    print("\nLocal training and cohort by the same recipe:")
    for name, said in options(RunConfiguration).items():
        if said.of_a_method:
            print(f"    {name}: {getattr(configuration, name)}")
    print("\nBytes that one client receives and sends in a round:")
    num_bytes = bytes_per_client(described, process)
    for label, whose in (("here", ""), ("by its protocol", "paper_")):
        down, up = (num_bytes[f"{whose}bytes_{way}_per_client"] for way in ("down", "up"))
        print(f"    {label}: {down:,} down, {up:,} up")
    is_one = "is" if isinstance(process, tff.templates.IterativeProcess) else "is NOT"
    print(f"\nThis {type(process).__name__} {is_one} a tff.templates.IterativeProcess.")
    for name in ("initialize", "next"):
        print(f"\n{name}:\n{getattr(process, name).type_signature.formatted_representation()}")


if __name__ == "__main__":
    command_line.run(main)
