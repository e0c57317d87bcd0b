"""FedAvg beside its local steps alone, where these are most of a round."""

from __future__ import annotations

import dataclasses

from benchmarks import contenders
from benchmarks.case import Quantity
from benchmarks.groups import builders

CASES = {
    name: dataclasses.replace(
        case,
        title=case.title.replace("TFF's own on TFF's worker", "a bare tf.function loop"),
        reference=contenders.bare_loop,
        on_tffs_worker=False,
        quantity=Quantity.TIMES_AS_LONG,
        limit=1.05,
    )
    for name, case in builders.CASES.items()
    if name != "mlr"
}
