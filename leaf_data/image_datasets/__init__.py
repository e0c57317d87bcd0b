"""The federated data sets of images: one module per paper or source."""
