"""Running TFF's computations on a worker process whose life belongs to this program.

TFF executes computations in a child process, `worker_binary`, which it does not reliably stop:
left to TFF, a worker outlives the program and keeps its standard output open. Here the worker
ends with the program, however the program ends:

    from tff_weights import runtime

    runtime.use_local_worker()

As TFF builds it, a worker listens on every network interface of the machine and asks nobody who
they are: on a network that is not trusted, a firewall has to protect it.
"""

from tff_weights.runtime.local import local_worker, use_local_worker
from tff_weights.runtime.options import WorkerOptions
from tff_weights.runtime.process import WorkerError

__all__ = [
    "WorkerError",
    "WorkerOptions",
    "local_worker",
    "use_local_worker",
]
