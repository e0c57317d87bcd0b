"""LEAF's JSON, the format in which LEAF, FedProx and fair_flearn keep federated data sets.

A data set is a folder with `train/*.json` and `test/*.json`, and every file an object

    {"users": [id, ...], "num_samples": [count, ...], "user_data": {id: {"x": [...], "y": [...]}}}

with its keys in any order. Both directions work one client at a time: the files are gigabytes.
"""

from leaf_data.leaf_json.conventions import leaf_convention
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.leaf_json.writer import write_leaf_json

__all__ = ["leaf_convention", "read_leaf_json", "write_leaf_json"]
