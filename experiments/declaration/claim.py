"""What a claim is: a sentence of a paper that runs can confirm or contradict."""

from __future__ import annotations

import dataclasses
from typing import Literal

from experiments.declaration.metric import Metric


@dataclasses.dataclass(frozen=True)
class Claim:
    """One claim, a paper's or our own: how two methods compare by one metric.

    Attributes:
        name: `paper/claim`.
        statement: The claim in one sentence, in our words.
        source: Where the paper makes it. A claim that no paper makes has "Control", or "Control: "
            and a remark.
        artifact: The name of the artifact whose runs decide it.
        metric: By what the methods are compared.
        better: The label of the variant that is better according to the claim.
        worse: The label of the other method; None if the metric is compared with `reference`.
        reference: The number that the metric is compared with if there is no other method.
        datasets: The data sets that the claim is about; None for all data sets of the artifact.
        kind: Whether the claim says that the first method is better, or that both are equal.
    """

    name: str
    statement: str
    source: str
    artifact: str
    metric: Metric
    better: str
    worse: str | None = None
    reference: float = 0.0
    datasets: tuple[str, ...] | None = None
    kind: Literal["better", "equal"] = "better"

    def __post_init__(self) -> None:
        """Checks the kind.

        Raises:
            ValueError: If there is no such kind.
        """
        if self.kind not in ("better", "equal"):
            raise ValueError(
                f"claim {self.name}: kind must be 'better' or 'equal', got {self.kind!r}"
            )

    @property
    def is_control(self) -> bool:
        """Whether no paper makes this claim; such controls are counted separately."""
        return self.source.partition(":")[0] == "Control"
