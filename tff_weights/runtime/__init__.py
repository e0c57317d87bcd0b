"""Where TFF's computations run: inside this program, or spread over a cluster.

    from tff_weights import runtime

    runtime.use()

TFF itself executes computations in a worker process. It is built without XLA, is sent all data,
listens on every network interface without authentication, and may outlive the program. Here the
program's own TensorFlow executes them: no other process, no port, no copy of the data, and small
models compiled with XLA.

A computation with a part that is not interpreted is refused. TFF's own context runs it:

    tff.backends.native.set_sync_local_cpp_execution_context()

A cohort that is too large for one machine is spread over a Ray cluster, with the same results up to
rounding:

    runtime.use(runtime.ClusterOptions(workers=8, address="HOST:6379"))
"""

from tff_weights.runtime.choice import (
    RuntimeOptions,
    async_context,
    traffic,
    use,
    using,
)
from tff_weights.runtime.cluster.errors import ClusterError
from tff_weights.runtime.cluster.options import ClusterOptions
from tff_weights.runtime.cluster.traffic import Traffic
from tff_weights.runtime.program.errors import UnsupportedComputationError
from tff_weights.runtime.program.options import ProgramOptions

__all__ = [
    "ClusterError",
    "ClusterOptions",
    "ProgramOptions",
    "RuntimeOptions",
    "Traffic",
    "UnsupportedComputationError",
    "async_context",
    "traffic",
    "use",
    "using",
]
