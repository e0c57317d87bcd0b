r"""Writes a data set as LEAF's JSON, for the code of LEAF, FedProx and fair_flearn.

    python -m experiments.export_leaf --dataset=shakespeare --leaf_dir=FedProx/data/shakespeare/data

The folder gets `train/*.json` and `test/*.json`; it must be new or empty.
"""

from __future__ import annotations

from absl import flags

from experiments import command_line
from experiments.command_line import setting_flags, shared_flags
from leaf_data import registry

_DATASET = setting_flags.define_dataset("The federated data set:", required=True)
_LEAF_DIR = shared_flags.define_path("leaf_dir", None, "The folder that is made.", required=True)
setting_flags.define_dataset_option()
_DATA_SEED = flags.DEFINE_integer("data_seed", 0, "Seeds data and partition.", lower_bound=0)
shared_flags.define("data_dir", "prepared_dir")


def main() -> None:
    """Writes what the flags name."""
    from leaf_data.leaf_json.conventions import leaf_convention
    from leaf_data.leaf_json.writer import write_leaf_json
    from leaf_data.statistics import samples_per_client

    with command_line.bad_input_ends_the_program():
        if _DATASET.value == "leaf":
            raise ValueError("--dataset=leaf is LEAF's JSON already")
        has_texts = "embeddings" in registry.options(_DATASET.value)
        texts = {"embeddings": "none"} if has_texts else {}
        dataset = registry.load(
            _DATASET.value,
            seed=_DATA_SEED.value,
            # The texts of tweets are written, not numbers of words.
            options={**texts, **setting_flags.dataset_options(_DATASET.value)},
            **shared_flags.data_folders(),
        )
        write_leaf_json(dataset, _LEAF_DIR.value, convert=leaf_convention(dataset))
    print(
        f"{dataset.num_clients} clients with {samples_per_client(dataset).sum()} samples of "
        f"{dataset.name} written to {_LEAF_DIR.value}."
    )


if __name__ == "__main__":
    command_line.run(main)
