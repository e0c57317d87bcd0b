"""Where raw data comes from: local files first, then TFDS' and TFF's own downloads."""

from leaf_data.sources.images import LabelledImages, read_images
from leaf_data.sources.stand_ins import stand_in
from leaf_data.sources.tfds_cache import prepare_tfds
from leaf_data.sources.tff_sqlite import fetch_tff_sqlite, find_tff_sqlite

__all__ = [
    "LabelledImages",
    "fetch_tff_sqlite",
    "find_tff_sqlite",
    "prepare_tfds",
    "read_images",
    "stand_in",
]
