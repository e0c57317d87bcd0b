r"""Writes the model that a finished run has trained, for predictions or for further training.

    python -m experiments.export results/fed_fa --format=npz
    python -m experiments.export results/alone --client=f_00007 --output=network

A `saved_model` is a folder for TensorFlow, `keras` a file for Keras (of a model that was made in
Keras), `npz` the weights alone for NumPy. If clients have models of their own (trained alone,
Ditto), --client names the one whose model is written. Without it `npz` writes all models, with
arrays such as `CLIENT_ID/trainable_0`.
The data set is loaded, because it decides the model's shape.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
from typing import TYPE_CHECKING

from absl import flags

from experiments import command_line
from experiments.command_line import shared_flags

ARGUMENT = "run"  # The flag that may be given without its name.
if TYPE_CHECKING:
    from experiments.runs.configure import ResolvedRun
    from experiments.runs.kept_models import KeptModels

_SUFFIXES = {"saved_model": "", "keras": ".keras", "npz": ".npz"}

_RUN = shared_flags.define_path(ARGUMENT, None, "The folder of the run; also without --run=.")
_FORMAT = flags.DEFINE_enum("format", "saved_model", list(_SUFFIXES), "What is written.")
_WHICH = flags.DEFINE_enum(
    "which",
    "last",
    ["last", "best"],
    "The model after the last round, or of the evaluation with the highest average test accuracy.",
)
_CLIENT = flags.DEFINE_string(
    "client",
    None,
    "Of clients with models of their own (trained alone, Ditto): the id, as in clients.csv.",
)
_OUTPUT = shared_flags.define_path(
    "output",
    None,
    "The file or folder to write; it must not exist. By default it is below exported in the run's "
    "folder.",
)
shared_flags.define("data_dir", "prepared_dir", "papers")


def read_flags() -> pathlib.Path:
    """Returns where to write."""
    if not _RUN.value:
        raise ValueError("the folder of a run is needed: export RUN")
    suffix = _SUFFIXES[_FORMAT.value]
    of_client = "" if _CLIENT.value is None else f"-{_CLIENT.value.replace(os.sep, '_')}"
    by_default = pathlib.Path(_RUN.value, "exported", f"{_WHICH.value}{of_client}{suffix}")
    output = by_default if _OUTPUT.value is None else pathlib.Path(_OUTPUT.value)
    if suffix and output.suffix != suffix:
        raise ValueError(f"--output must end with {suffix} for --format={_FORMAT.value}")
    if os.path.lexists(output):
        raise ValueError(f"--output: {output} exists already")
    return output


def main(output: pathlib.Path) -> None:
    """Writes what the flags name."""
    from experiments.runs.kept_models import KeptModels, best_by
    from experiments.runs.run_directory import RunDirectory

    with command_line.bad_input_ends_the_program():
        directory = RunDirectory(_RUN.value)
        if directory.read_result() is None:
            raise ValueError(f"{directory.path} holds no finished run")
        kept = KeptModels(directory.models)
        which, facts = _WHICH.value, kept.facts(_WHICH.value)
        # The last model is evaluated even if its round is not, and may then be the best.
        with contextlib.suppress(ValueError):
            if which == "best" and kept.is_better(last := kept.facts("last")):
                which, facts = "last", last
        if _FORMAT.value == "npz" and _CLIENT.value is None:
            output.parent.mkdir(parents=True, exist_ok=True)
            kept.copy(which, output)
        else:
            _write(kept, which, directory.read_run(), output)
    name = best_by(facts)
    quality = (
        f"average test accuracy {facts[name]:.2f} %"
        if name == "test_average"
        else f"test loss {facts[name]:.4g}"
    )
    print(
        f"The {_WHICH.value} model, of round {facts['round']} ({quality}), is written to {output}."
    )


def _write(kept: KeptModels, which: str, run: ResolvedRun, output: pathlib.Path) -> None:
    from experiments.runs import training
    from tff_weights import trained_models

    model = training.load_data(run, **shared_flags.data_folders()).build_model(0)
    weights = kept.load(which, model, _CLIENT.value)
    keras_model = trained_models.as_keras_model(model, weights)
    if _FORMAT.value == "keras" and trained_models.is_wrapped(keras_model):
        raise ValueError(
            "--format=keras needs a model that was made in Keras; of this one --format=saved_model"
            " writes what TensorFlow reads"
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    if _FORMAT.value == "keras":
        keras_model.save(output)
    elif _FORMAT.value == "npz":
        trained_models.save_weights(weights, output)
    else:
        trained_models.save_as_saved_model(model, weights, output)


if __name__ == "__main__":
    command_line.run(main, read_flags, argument=ARGUMENT)
