"""Programs that train, evaluate and tabulate."""

import os

from experiments import start_up

if start_up.is_program():
    start_up.end_at_once_when_interrupted()
    start_up.print_whatever_the_terminal_takes()

# Before anything imports TensorFlow, which prints screens of start-up messages otherwise.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
# The last digits of a sum depend on among how many threads TensorFlow splits it: as many on every
# machine, whatever cores it has.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "2")
