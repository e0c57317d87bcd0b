"""What of an artifact was not run, in words."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.declaration import Artifact
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord


def missing_runs(
    artifact: Artifact,
    runs: Sequence[tuple[ArtifactRun, RunRecord | None]],
    *,
    scale: str,
) -> list[str]:
    """Returns a line for each method on each data set that lacks a run, or all of them.

    Args:
        artifact: The artifact.
        runs: Its runs, None where one is not finished.
        scale: The runs' scale; the data sets that it leaves out are named, too, with why.
    """
    left_out = artifact.left_out_at(scale)
    lines = [] if left_out is None else [left_out]
    seeds: dict[tuple[str, str], list[int]] = {}
    for run, record in runs:
        # Those that lack none, too: the order is the artifact's, whichever seed comes first.
        of_variant = seeds.setdefault((run.dataset, run.variant), [])
        if record is None:
            of_variant.append(run.seed)
    for (dataset, variant), of_variant in seeds.items():
        if not of_variant:
            continue
        numbers = ", ".join(map(str, sorted(of_variant)))
        name = "seed" if len(of_variant) == 1 else "seeds"
        lines.append(f"{dataset}, {variant}: {name} {numbers}")
    return lines
