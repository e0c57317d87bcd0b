"""A data set as a table and as pictures, for a reader; the pictures need the extra `data`."""

from leaf_data import extras

extras.require("matplotlib").use("Agg")  # No screen is needed.
