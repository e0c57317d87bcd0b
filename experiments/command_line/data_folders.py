"""Where data sets lie, as every binary takes it: `--data_dir` and `--prepared_dir`."""

from __future__ import annotations

from absl import flags

flags.disclaim_key_flags()  # The flags are the calling binary's, whose --help lists them.


def define_data_dir() -> flags.FlagHolder[str | None]:
    """Defines `--data_dir` for a binary: where raw data is, or is to be downloaded to."""
    return flags.DEFINE_string(
        "data_dir",
        None,
        "The folder of the data sets. Default: $TFF_WEIGHTS_DATA_DIR, or the user's cache.",
    )


def define_prepared_dir() -> flags.FlagHolder[str | None]:
    """Defines `--prepared_dir` for a binary: where data sets are kept as they are trained on."""
    return flags.DEFINE_string(
        "prepared_dir",
        None,
        "A folder in which the data set is kept in TFF's SQLite form when it is first loaded, and "
        "from which it is read from then on, without --data_dir. Default: it is not kept.",
    )
