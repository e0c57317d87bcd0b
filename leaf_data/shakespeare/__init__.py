"""Shakespeare: each speaking role is a client, and the task is to predict its next character."""

from leaf_data.shakespeare.datasets import leaf_shakespeare, shakespeare

__all__ = ["leaf_shakespeare", "shakespeare"]
