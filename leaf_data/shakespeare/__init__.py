"""Shakespeare: each speaking role a client, whose next character is to be predicted."""

from leaf_data.shakespeare.datasets import leaf_shakespeare, shakespeare

__all__ = ["leaf_shakespeare", "shakespeare"]
