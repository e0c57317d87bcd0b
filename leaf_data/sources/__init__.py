"""Where raw data comes from: local files first, then TFDS' and TFF's own downloads."""

from leaf_data.data_dir import DATA_DIR_VARIABLE, default_data_dir, resolve_data_dir
from leaf_data.sources.fetching import missing_data, require_network, whole_directory
from leaf_data.sources.images import LabelledImages, read_images
from leaf_data.sources.stand_ins import stand_in
from leaf_data.sources.tfds_cache import prepare_tfds
from leaf_data.sources.tff_sqlite import fetch_tff_sqlite, find_tff_sqlite

__all__ = [
    "DATA_DIR_VARIABLE",
    "LabelledImages",
    "default_data_dir",
    "fetch_tff_sqlite",
    "find_tff_sqlite",
    "missing_data",
    "prepare_tfds",
    "read_images",
    "require_network",
    "resolve_data_dir",
    "stand_in",
    "whole_directory",
]
