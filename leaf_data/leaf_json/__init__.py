"""LEAF's JSON, the format in which LEAF, FedProx and fair_flearn keep federated data sets.

A data set is a folder with `train/*.json` and `test/*.json`, and every file an object

    {"users": [id, ...], "num_samples": [count, ...], "user_data": {id: {"x": [...], "y": [...]}}}

with its keys in any order. Reading and writing work one client at a time: the files have gigabytes.

Nothing is imported here: the parser needs neither TensorFlow nor TFF, which take much memory.
"""
