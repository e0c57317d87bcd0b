"""The algorithms, each a choice of local training, weighting and server update."""
