"""Per-client evaluation, and how fair its result is."""
