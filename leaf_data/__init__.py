"""Federated data sets and partitioners; knows nothing of algorithms."""
