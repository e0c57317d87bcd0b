"""A program that tries the runtime: `python -m tff_weights.runtime.probe`.

It runs a tiny federated computation twice and prints one line of JSON with the times taken:
`first_computation_seconds`, with the reading of the computation, and `next_computation_seconds`.
It is a separate program, because a TensorFlow that does not fit the machine ends the process
instead of raising an exception.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import tensorflow_federated as tff

from tff_weights import runtime


@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
def _total(values: Any) -> Any:
    return tff.federated_sum(values)


def main() -> None:
    """Runs the probe.

    Raises:
        RuntimeError: If the runtime answers wrongly.
    """
    seconds = {}
    with runtime.using():
        for name in ("first_computation_seconds", "next_computation_seconds"):
            start = time.monotonic()
            result = _total([1, 2, 3])
            seconds[name] = round(time.monotonic() - start, 3)
    if result != 6:
        raise RuntimeError(f"The runtime says that 1 + 2 + 3 is {result}.")
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
