"""Programs that train, evaluate and tabulate."""

import os
import sys

from experiments import start_up

if start_up.is_program():
    start_up.end_at_once_when_interrupted()
    start_up.print_whatever_the_terminal_takes()

_missing = start_up.missing_packages()
if _missing:
    _sentence = (
        f"not installed: {', '.join(_missing)}, which come with "
        "pip install 'tff-weights[experiments]'"
    )
    if start_up.is_program():
        sys.exit(f"{start_up.COMMAND}: {_sentence}.")
    raise ModuleNotFoundError(_sentence, name=_missing[0])

# This comes before any import of TensorFlow, which would print screens of start-up messages.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
# The last digits of a sum depend on the number of threads. So the number is the same on every
# machine, whatever cores it has.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "2")
