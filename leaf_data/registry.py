"""The data sets by name. A new one is one module and one line in `_LOADERS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from leaf_data.federated_dataset import FederatedDataset
from leaf_data.leaf_json import read_leaf_json
from leaf_data.synthetic import synthetic, synthetic_dirichlet


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes:
      seed: The seed of the generation or the partition.
      data_dir: The folder of raw and cached files, or None for the default.
      leaf_dir: The folder with LEAF's JSON; given for the data set `leaf` and for no other.
    """

    seed: int
    data_dir: str | None
    leaf_dir: str | None


_LOADERS: dict[str, Callable[[Source], FederatedDataset]] = {
    "synthetic_iid": lambda source: synthetic(iid=True, seed=source.seed),
    "synthetic_0_0": lambda source: synthetic(0.0, 0.0, seed=source.seed),
    "synthetic_0.5_0.5": lambda source: synthetic(0.5, 0.5, seed=source.seed),
    "synthetic_1_1": lambda source: synthetic(1.0, 1.0, seed=source.seed),
    "synthetic_dirichlet_0.1": lambda source: synthetic_dirichlet(0.1, seed=source.seed),
    "synthetic_dirichlet_0.5": lambda source: synthetic_dirichlet(0.5, seed=source.seed),
    "synthetic_dirichlet_3": lambda source: synthetic_dirichlet(3.0, seed=source.seed),
    "synthetic_dirichlet_5": lambda source: synthetic_dirichlet(5.0, seed=source.seed),
    "leaf": lambda source: read_leaf_json(str(source.leaf_dir)),
}


def names() -> list[str]:
    """The names of all data sets."""
    return list(_LOADERS)


def load(
    name: str,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    leaf_dir: str | None = None,
) -> FederatedDataset:
    """Loads or generates a data set.

    Args:
      name: One of `names()`.
      seed: The seed of the generation or the partition, the train/test split included: the same
        name and seed give the same numbers in any process. `leaf` has its split in its files and no
        use for it.
      data_dir: The folder of raw and cached files; None for the default. Generated data sets need
        none.
      leaf_dir: The folder with LEAF's JSON in `train/*.json` and `test/*.json`; for `leaf`, which
        needs it.

    Returns:
      The data set.

    Raises:
      ValueError: If the name is unknown, or leaf_dir is missing for `leaf` or given for another.
      DataError: If the data cannot be read.
    """
    if name not in _LOADERS:
        raise ValueError(f"name is {name!r}; it must be one of {', '.join(_LOADERS)}.")
    if name == "leaf" and leaf_dir is None:
        raise ValueError("leaf_dir is None; the data set 'leaf' needs the folder to read.")
    if name != "leaf" and leaf_dir is not None:
        raise ValueError(
            f"leaf_dir is {leaf_dir!r}; only the data set 'leaf' takes it, not {name!r}."
        )
    return _LOADERS[name](Source(seed=seed, data_dir=data_dir, leaf_dir=leaf_dir))
