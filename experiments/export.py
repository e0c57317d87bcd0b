r"""Writes the model that a finished run has trained, to predict with or to go on from.

    python -m experiments.export results/fed_fa --format=keras
    python -m experiments.export results/alone --client=f_00007 --output=network

A `saved_model` is a folder for TensorFlow, `keras` a file for Keras (of a model that was made in
Keras), `npz` the weights alone for NumPy. Where clients trained alone, --client names the one whose
model is written; `npz` without it writes all, with arrays such as `CLIENT_ID/trainable_0`. The data
set is loaded, because it decides the model's shape.
"""

from __future__ import annotations

import os
import pathlib

from absl import flags

from experiments import command_line
from experiments.command_line import data_folders, papers_flag

ARGUMENT = "run"  # The flag that may be given without its name.
_SUFFIXES = {"saved_model": "", "keras": ".keras", "npz": ".npz"}

_RUN = flags.DEFINE_string(ARGUMENT, None, "The folder of the run; also without --run=.")
_FORMAT = flags.DEFINE_enum("format", "saved_model", list(_SUFFIXES), "What is written.")
_WHICH = flags.DEFINE_enum(
    "which",
    "last",
    ["last", "best"],
    "The model after the last round, or of the evaluation with the highest average test accuracy.",
)
_CLIENT = flags.DEFINE_string(
    "client", None, "Of clients that trained alone: the id, as in clients.csv."
)
_OUTPUT = flags.DEFINE_string(
    "output",
    None,
    "The file or folder to write; it must not exist. By default it is below exported in the run's "
    "folder.",
)
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
flags.adopt_module_key_flags(papers_flag)


def read_flags() -> pathlib.Path:
    """Returns where to write."""
    papers_flag.add_papers()
    if not _RUN.value:
        raise ValueError("the folder of a run is needed: export RUN")
    suffix = _SUFFIXES[_FORMAT.value]
    if _OUTPUT.value is None:
        of_client = "" if _CLIENT.value is None else f"-{_CLIENT.value.replace(os.sep, '_')}"
        name = f"{_WHICH.value}{of_client}{suffix}"
        output = pathlib.Path(_RUN.value, "exported", name)
    else:
        output = pathlib.Path(_OUTPUT.value)
        if suffix and output.suffix != suffix:
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
        directory, which = RunDirectory(_RUN.value), _WHICH.value
        if directory.read_result() is None:
            raise ValueError(f"{directory.path} holds no finished run")
        kept = KeptModels(directory.models)
        facts = kept.facts(which)
        if _FORMAT.value == "npz" and _CLIENT.value is None:
            output.parent.mkdir(parents=True, exist_ok=True)
            kept.copy(which, output)
        else:
            run = resolve(directory.read_configuration())
            task = training.load_data(
                run, data_dir=_DATA_DIR.value, prepared_dir=_PREPARED_DIR.value
            )
            model = task.build_model(0)
            weights = kept.load(which, model, _CLIENT.value)
            if _FORMAT.value == "keras":
                keras_model = trained_models.as_keras_model(model, weights)
                if trained_models.is_wrapped(keras_model):
                    raise ValueError(
                        "--format=keras needs a model that was made in Keras; of this one"
                        " --format=saved_model writes what TensorFlow reads"
                    )
            output.parent.mkdir(parents=True, exist_ok=True)
            if _FORMAT.value == "saved_model":
                trained_models.save_as_saved_model(model, weights, output)
            elif _FORMAT.value == "npz":
                trained_models.save_weights(weights, output)
            else:
                keras_model.save(output)
    name = best_by(facts)
    quality = (
        f"average test accuracy {facts[name]:.2f} %"
        if name == "test_average"
        else f"test loss {facts[name]:.4g}"
    )
    print(f"The {which} model, after round {facts['round']} ({quality}), is written to {output}.")


if __name__ == "__main__":
    command_line.run(main, read_flags, argument=ARGUMENT)
