"""What a claim is: a sentence of a paper that runs can confirm or contradict."""

from __future__ import annotations

import dataclasses

from experiments.declaration.metric import Metric


@dataclasses.dataclass(frozen=True)
class Claim:
    """One headline claim, a paper's or our own: one method is better than another by a metric.

    Attributes:
        name: `paper/claim`.
        statement: The claim in one sentence, in our words.
        source: Where the paper makes it; "Control", or "Control: " and more, for what no paper
            claims.
        artifact: The name of the artifact whose runs decide it.
        metric: By what the methods are compared.
        better: The label of a variant or best-of row that the claim says is the better one.
        worse: The label of the other; None where the metric is compared with `reference`.
        reference: With what it is compared where there is no other method.
        datasets: The data sets that it is about; None for all of the artifact.
        worse_metric: By what the other one is measured, where that is not `metric`: as where each
            is compared with a baseline of its own, which `compared_with` names.
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
    worse_metric: Metric | None = None

    @property
    def is_control(self) -> bool:
        """Whether no paper claims it: it is counted apart from what papers claim."""
        return self.source.partition(":")[0] == "Control"
