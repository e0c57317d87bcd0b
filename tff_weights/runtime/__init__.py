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
"""

from tff_weights.runtime.choice import (
    RuntimeOptions,
    local_worker,
    use,
    use_local_worker,
    using,
)
from tff_weights.runtime.program.options import ProgramOptions
from tff_weights.runtime.worker.options import WorkerOptions
from tff_weights.runtime.worker.process import WorkerError

__all__ = [
    "ProgramOptions",
    "RuntimeOptions",
    "WorkerError",
    "WorkerOptions",
    "local_worker",
    "use",
    "use_local_worker",
    "using",
]
