"""Where TFF's computations run: inside this program, or on a worker that ends with it.

    from tff_weights import runtime

    runtime.use()

TFF itself executes computations in a child process, `worker_binary`, which is built without XLA,
is sent all data, listens on every network interface without asking who is there, and is not
reliably stopped. Here the program's own TensorFlow executes them: no other process, no port, no
copy of the data, and small models compiled with XLA.

TFF's worker is still there, for comparison and for what is not interpreted:

    runtime.use_local_worker()

It ends with the program, however the program ends. On a network that is not trusted, a firewall
has to protect it.

A cohort that is too much for one machine is spread over a Ray cluster, with the same results:

    runtime.use(runtime.ClusterOptions(workers=8, address="HOST:6379"))
"""

from tff_weights.runtime.choice import (
    RuntimeOptions,
    local_worker,
    traffic,
    use,
    use_local_worker,
    using,
)
from tff_weights.runtime.cluster.errors import ClusterError
from tff_weights.runtime.cluster.options import ClusterOptions
from tff_weights.runtime.cluster.traffic import Traffic
from tff_weights.runtime.program.options import ProgramOptions
from tff_weights.runtime.worker.options import WorkerOptions
from tff_weights.runtime.worker.process import WorkerError

__all__ = [
    "ClusterError",
    "ClusterOptions",
    "ProgramOptions",
    "RuntimeOptions",
    "Traffic",
    "WorkerError",
    "WorkerOptions",
    "local_worker",
    "traffic",
    "use",
    "use_local_worker",
    "using",
]
