"""A data set as a table and as pictures, for a reader."""
