"""TFF's own builders, built and called once, inside the program beside the same on TFF's worker."""

from __future__ import annotations

import dataclasses

from benchmarks import contenders
from benchmarks.groups import tff_builders

CASES = {
    name: dataclasses.replace(
        case,
        title=f"{case.title}, built for each round",
        subject=contenders.from_the_start(case.subject),
        reference=contenders.from_the_start(case.subject),
        tolerance=None,
    )
    for name, case in tff_builders.CASES.items()
}
