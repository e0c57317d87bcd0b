"""Pure, seeded functions from labels to one array of example indices per client."""

from leaf_data.partitioners.dirichlet import dirichlet
from leaf_data.partitioners.train_test_split import train_test_split

__all__ = ["dirichlet", "train_test_split"]
