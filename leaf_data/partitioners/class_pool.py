"""The examples of each class, in random order, to be handed out without replacement."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.partitioners.checks import as_labels


class ClassPool:
    """A pool that hands out each example at most once until its class is refilled.

    Attributes:
        classes: The different labels, ascending: [num_classes].
    """

    def __init__(self, labels: npt.NDArray[Any], generator: np.random.Generator) -> None:
        """Shuffles the examples of every class.

        Args:
            labels: The pool's labels, [num_examples].
            generator: The source of randomness.

        Raises:
            ValueError: If the labels are not [num_examples].
        """
        labels = as_labels(labels)
        self.classes: npt.NDArray[Any] = np.unique(labels)
        self._members = [np.flatnonzero(labels == label) for label in self.classes]
        self._generator = generator
        self._left = [generator.permutation(members) for members in self._members]

    @property
    def num_classes(self) -> int:
        """The number of different labels."""
        return len(self.classes)

    def num_members(self, class_index: int) -> int:
        """How many examples a class has, whether or not they are still there."""
        return len(self._members[class_index])

    def num_left(self, class_index: int) -> int:
        """How many examples of a class have not been handed out."""
        return len(self._left[class_index])

    def num_more(self, class_index: int, num_owners: int, *, least: int, num_clients: int) -> int:
        """How many examples a class has beyond `least` for each of the clients that own it.

        Raises:
            ValueError: If it has fewer; the message names `num_clients`.
        """
        rest = self.num_members(class_index) - least * num_owners
        if rest < 0:
            raise ValueError(
                f"num_clients is {num_clients}; class {self.classes[class_index]!r} has"
                f" {self.num_members(class_index)} examples for the {num_owners} clients that"
                f" need {least} each."
            )
        return rest

    def take(self, class_index: int, count: int) -> npt.NDArray[np.int64]:
        """Hands out `count` examples of a class.

        Args:
            class_index: The place of the class in `classes`.
            count: How many.

        Returns:
            Their indices, [count] int64.

        Raises:
            ValueError: If fewer are left.
        """
        left = self._left[class_index]
        if count > len(left):
            raise ValueError(
                f"labels has {self.num_members(class_index)} examples of class"
                f" {self.classes[class_index]!r}; the partition needs at least"
                f" {count - len(left)} more."
            )
        self._left[class_index] = left[count:]
        return left[:count]

    def refill(self, class_index: int) -> None:
        """Puts all examples of a class back, newly shuffled."""
        self._left[class_index] = self._generator.permutation(self._members[class_index])
