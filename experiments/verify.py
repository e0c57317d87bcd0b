"""Trains committed runs again, and says whether all numbers are equal to the last digit.

    python -m experiments.verify --runs='synthetic_*' --draw=10
    python -m experiments.verify --runs='mnist_entropy/wei_avg-*' --workers=2

Each has the threads, and the library oneDNN or not, with which it was made. One that is already
below --output_dir is not trained again, but compared. Exit status: 1 if one differs or cannot be
trained.
"""

from __future__ import annotations

import math
import pathlib

from absl import flags

from experiments import command_line
from experiments.command_line import shared_flags
from experiments.papers import catalogue

_RUNS = flags.DEFINE_list(
    "runs", ["*"], "Names of committed runs, DATA_SET/ALGORITHM-DIGEST, or patterns such as mnist*."
)
_DRAW = flags.DEFINE_integer(
    "draw", None, "How many of them are drawn at random; all if not given.", lower_bound=1
)
_DRAW_SEED = flags.DEFINE_integer("draw_seed", 1, "Seeds the drawing.", lower_bound=0)
_MOST_MINUTES = flags.DEFINE_float(
    "most_minutes", math.inf, "Leave out runs that took longer to make.", lower_bound=0.0
)
_OTHER_PROCESSORS = flags.DEFINE_bool(
    "other_processors",
    False,
    "Train also what was made on another kind of processor, whose last digits may differ.",
)
_OUTPUT_DIR = shared_flags.define_path(
    "output_dir", "results/verified", "The folder of the runs that are trained."
)
shared_flags.define("workers", "results_dir", "data_dir", "prepared_dir", "papers")


def main() -> None:
    """Trains the runs that the flags name, and compares them."""
    from experiments.runs import verification
    from experiments.runs.sweep import SweepOptions

    with command_line.bad_input_ends_the_program():
        if _DRAW.value is None and flags.FLAGS["draw_seed"].present:
            raise ValueError("--draw_seed is for --draw, which is not given")
        chosen = verification.choose(
            shared_flags.results_dir(),
            patterns=_RUNS.value,
            most_minutes=_MOST_MINUTES.value,
            other_processors=_OTHER_PROCESSORS.value,
            draw=_DRAW.value,
            draw_seed=_DRAW_SEED.value,
        )
        workers = flags.FLAGS["workers"].value
        options = SweepOptions(
            runs_dir=pathlib.Path(_OUTPUT_DIR.value).resolve() / "runs",
            **shared_flags.data_folders(),
            workers=workers,
            runtime=shared_flags.runtime_options(runs_at_once=workers, device="cpu"),
            papers=catalogue.added_modules(),
        )
        options.runs_dir.mkdir(parents=True, exist_ok=True)
    num_equal = 0
    for name, is_equal, said in verification.verify(chosen, options):
        num_equal += is_equal
        print(f"{name}: {said}", flush=True)
    print(f"{num_equal} of {len(chosen)} runs came out again to the last digit.")
    if num_equal < len(chosen):
        raise SystemExit(1)


if __name__ == "__main__":
    command_line.run(main)
