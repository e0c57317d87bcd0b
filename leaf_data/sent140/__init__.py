"""Sent140: each account of Sentiment140 a client, whose tweets are positive or negative."""

from leaf_data.sent140.datasets import TweetDataset, leaf_sent140, sent140

__all__ = ["TweetDataset", "leaf_sent140", "sent140"]
