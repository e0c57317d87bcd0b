"""The flags that several programs take, each said once; a program defines those that it has."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

from absl import flags

from experiments.start_up import RESULTS_DIR

if TYPE_CHECKING:
    from tff_weights import runtime

flags.disclaim_key_flags()  # The flags are the calling program's, whose --help lists them.

_TEXTS = {
    "data_dir": (
        None,
        "The folder of the data sets. Default: $TFF_WEIGHTS_DATA_DIR, or the user's cache.",
    ),
    "prepared_dir": (
        None,
        "A folder in which the data set is kept in TFF's SQLite form when it is first loaded, and "
        "from which it is read from then on, without --data_dir. Default: it is not kept.",
    ),
    "results_dir": (str(RESULTS_DIR), "The folder of results that travel with software."),
    # It changes no result, and is written nowhere.
    "device": (
        "auto",
        "What trains: cpu, gpu or auto, which gives a GPU, if there is one, everything but small "
        "models.",
    ),
}


class _PathParser(flags.ArgumentParser):
    def parse(self, argument: str) -> str:
        path = os.path.expanduser(argument)  # Shells leave `~` as it is in --flag=~/folder.
        if path[:1] in ("", "~"):
            raise ValueError("it must be a path; what follows ~ must be a user's name")
        return path


def define_path(name: str, default: str | None, text: str, **given: bool) -> flags.FlagHolder[Any]:
    """Defines a flag that names a file or a folder; `~` in its value is expanded."""
    return flags.DEFINE(_PathParser(), name, default, text, **given)


def define(*names: str) -> None:
    """Defines flags of these names."""
    for name in names:
        if name == "papers":
            flags.DEFINE_list(
                name,
                [],
                "Your own papers: modules with a PAPER each, whose algorithms, recipes, artifacts "
                "and claims are added.",
            )
        elif name == "workers":
            flags.DEFINE_integer(
                name, os.cpu_count() or 1, "How many runs are trained at once.", lower_bound=1
            )
        else:
            (define_path if name.endswith("_dir") else flags.DEFINE_string)(name, *_TEXTS[name])


def data_folders() -> dict[str, Any]:
    """Returns both folders of data by the names of the arguments that take them, or None."""
    return {name: flags.FLAGS[name].value for name in ("data_dir", "prepared_dir")}


def results_dir() -> pathlib.Path:
    """Returns the folder of results that travel with the software."""
    return pathlib.Path(flags.FLAGS["results_dir"].value).resolve()


def runtime_options(*, runs_at_once: int = 1, device: str = "") -> runtime.ProgramOptions:
    """Returns the runtime on a device, or on `--device`; runs share this machine's processors.

    Raises:
        ValueError: If there is no such device.
    """
    from tff_weights import runtime  # Deferred: it takes seconds.

    client_threads = max(1, (os.cpu_count() or 1) // runs_at_once)
    device = device or flags.FLAGS["device"].value
    return runtime.ProgramOptions(device=device, client_threads=client_threads)
