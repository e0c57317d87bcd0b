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
# Both change the last digits, so they are the same on every machine. Without oneDNN, which
# TensorFlow by itself uses on newer processors alone, networks take two to four times as long.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
