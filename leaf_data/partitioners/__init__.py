"""Pure, seeded functions from labels to one array of example indices per client."""

from leaf_data.partitioners.classes_per_client import classes_per_client
from leaf_data.partitioners.dirichlet import dirichlet
from leaf_data.partitioners.entropy_skew import entropy_skew
from leaf_data.partitioners.label_halves import half_iid_half_single_label, iid, single_label
from leaf_data.partitioners.leaf_split import drop_untested
from leaf_data.partitioners.major_minor import major_minor
from leaf_data.partitioners.power_law_two_class import power_law_two_class
from leaf_data.partitioners.train_test_split import train_test_split
from leaf_data.partitioners.x_class import general_case_1, general_case_2, random_classes, x_class

__all__ = [
    "classes_per_client",
    "dirichlet",
    "drop_untested",
    "entropy_skew",
    "general_case_1",
    "general_case_2",
    "half_iid_half_single_label",
    "iid",
    "major_minor",
    "power_law_two_class",
    "random_classes",
    "single_label",
    "train_test_split",
    "x_class",
]
