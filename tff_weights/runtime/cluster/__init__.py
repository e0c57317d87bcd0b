"""A cohort spread over a Ray cluster: each actor interprets the computation for its clients."""
