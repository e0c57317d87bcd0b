"""How the settings of an artifact's methods are chosen: all of them at the same budget."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Tuning:
    """How each method's settings are chosen on each data set, before its own runs.

    A method is run once with each of the learning rates and of its `Variant.tries`, on a validation
    part of the training data. The settings of the best run are those of its own runs, which train
    on all training data and are tested. Of equal runs the first counts.

    Attributes:
        learning_rates: The same ones for all methods.
        by: The column of the evaluation that is to be large, such as `test_average`; there the
            validation part replaces the test data.
        seed: Of these runs; none of the others should have it.
        fraction: The validation part, as `RunConfiguration.validation_fraction`.
    """

    learning_rates: tuple[float, ...]
    by: str = "test_average"
    seed: int = 0
    fraction: float = 0.2
