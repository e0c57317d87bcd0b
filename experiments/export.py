r"""Writes the model that a finished run has trained, to predict with or to go on from.

    python -m experiments.export --run=results/fed_fa --format=saved_model --output=network

A `saved_model` is a folder for TensorFlow, `keras` a file for Keras (of a model that was made in
Keras), `npz` the weights alone for NumPy. The data set is loaded, because it decides the model's
shape.
"""

from __future__ import annotations

import os
import pathlib

from absl import flags

from experiments import command_line
from experiments.command_line import data_folders, papers_flag

_FORMATS = ("saved_model", "keras", "npz")

_RUN = flags.DEFINE_string("run", None, "The folder of the run.", required=True)
_FORMAT = flags.DEFINE_enum("format", _FORMATS[0], _FORMATS, "What is written.")
_WHICH = flags.DEFINE_enum(
    "which",
    "last",
    ["last", "best"],
    "The model after the last round, or of the evaluation with the highest average test accuracy.",
)
_OUTPUT = flags.DEFINE_string(
    "output", None, "The file or folder to write; it must not exist.", required=True
)
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
flags.adopt_module_key_flags(papers_flag)


def read_flags() -> pathlib.Path:
    """Returns where to write."""
    papers_flag.add_papers()
    output = pathlib.Path(_OUTPUT.value)
    suffix = {"keras": ".keras", "npz": ".npz"}.get(_FORMAT.value)
    if suffix is not None and output.suffix != suffix:
        raise ValueError(f"--output must end with {suffix} for --format={_FORMAT.value}")
    if os.path.lexists(output):
        raise ValueError(f"--output: {output} exists already")
    return output


def main(output: pathlib.Path) -> None:
    """Writes what the flags name."""
    from experiments.runs import training
    from experiments.runs.kept_models import KeptModels, best_by
    from experiments.runs.resolution import resolve
    from experiments.runs.run_directory import RunDirectory
    from tff_weights import trained_models

    with command_line.bad_input_ends_the_program():
        directory = RunDirectory(_RUN.value)
        if directory.read_result() is None:
            raise ValueError(f"--run: {directory.path} holds no finished run")
        task = training.load_data(
            resolve(directory.read_configuration()),
            data_dir=_DATA_DIR.value,
            prepared_dir=_PREPARED_DIR.value,
        )
        model = task.build_model(0)
        weights, said = KeptModels(directory.models).load(_WHICH.value, model)
        if _FORMAT.value == "saved_model":
            trained_models.save_as_saved_model(model, weights, output)
        elif _FORMAT.value == "npz":
            output.parent.mkdir(parents=True, exist_ok=True)
            trained_models.save_weights(weights, output)
        else:
            keras_model = trained_models.as_keras_model(model, weights)
            if trained_models.is_wrapped(keras_model):
                raise ValueError(
                    "--format=keras needs a model that was made in Keras; of this one"
                    " --format=saved_model writes what TensorFlow reads"
                )
            output.parent.mkdir(parents=True, exist_ok=True)
            keras_model.save(output)
    name = best_by(said)
    quality = (
        f"average test accuracy {said[name]:.2f} %"
        if name == "test_average"
        else f"test loss {said[name]:.4g}"
    )
    print(f"The model after round {said['round']}, {quality}, written to {output}.")


if __name__ == "__main__":
    command_line.run(main, read_flags)
