"""How every program begins and ends: flags read strictly, faults answered in one sentence."""

from __future__ import annotations

import atexit
import contextlib
import errno
import importlib
import logging as stdlib_logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from absl import app, flags, logging

from experiments import start_up, usage
from experiments.papers import catalogue
from experiments.runs import environment
from experiments.runs.wrong_labels import WrongLabelError

_FAILED_STATUS = 1
_IS_WHOLE = (
    "What is written is whole, and a training run goes on with --resume from its last checkpoint"
)
# What becomes of a disk while a program runs.
_FILE_FAULTS = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS),
    *(errno.EACCES, errno.EPERM, errno.EIO),
)


def run(
    main: Callable[..., None],
    read_flags: Callable[[], Any] | None = None,
    *,
    argument: str | None = None,
) -> NoReturn:
    """Runs a program.

    A wrong flag, or a `ValueError` or `OSError` inside `bad_input_ends_the_program`, ends it with
    one sentence on standard error and exit status 2. Ctrl-C ends it with status 130. A sentence and
    status 1 follow a lack of memory, a disk that cannot be written, the loss of a cluster's actor,
    and a label that is no class of the model. TFF computes inside the program, unless `main`
    chooses otherwise. Temporary files are gone after any end.

    Args:
        main: What to do once the flags are read.
        read_flags: Turns the flags into the argument of `main`. It does without TensorFlow, so that
            bad input is answered at once. None if `main` takes no argument.
        argument: The flag whose value may be given without its name; None where there is none.
    """
    given: list[Any] = []

    def interruptible(_: Sequence[str]) -> None:
        import tensorflow as tf  # Deferred: flags are answered without it.

        from tff_weights import runtime

        if not flags.FLAGS["verbosity"].present:
            logging.set_verbosity(logging.WARNING)
            # TensorFlow's own logger, which importing TensorFlow sets to INFO.
            stdlib_logging.getLogger("tensorflow").setLevel(stdlib_logging.WARNING)
        try:
            with bad_input_ends_the_program():
                environment.arithmetic()
                start_up.use_own_temporary_folder()
            runtime.use()
            atexit.unregister(_replace_context_of_tff)
            start_up.end_in_good_order_when_interrupted()
            main(*given)
        except KeyboardInterrupt:
            print("\nInterrupted.", file=sys.stderr)
            sys.exit(start_up.INTERRUPTED_STATUS)
        except (runtime.ClusterError, WrongLabelError) as error:
            _end(str(error), _FAILED_STATUS)
        except BrokenPipeError:
            end_without_reader()
        except Exception as error:
            detail = next(iter(str(error).splitlines()), type(error).__name__)
            if _is_file_fault(error):
                _end(f"{detail}. {_IS_WHOLE}", _FAILED_STATUS)
            if not isinstance(error, (MemoryError, tf.errors.ResourceExhaustedError)):
                raise
            remedy = "choose fewer clients a round, smaller batches or a smaller model"
            _end(f"Out of memory: {remedy}. {_IS_WHOLE}. ({detail})", _FAILED_STATUS)
        finally:
            start_up.end_at_once_when_interrupted()

    # TensorFlow is imported after the flags are read. It would then count GPUs before it has
    # switched to version 2, and Keras could not build a model.
    app.call_after_init = lambda callback: None
    atexit.register(_replace_context_of_tff)
    description = getattr(main, "__globals__", {}).get("__doc__") or ""

    def parse(arguments: Sequence[str]) -> list[str]:
        try:
            rest = parse_flags(arguments, description=description, argument=argument)
        except BrokenPipeError:
            end_without_reader()
        with bad_input_ends_the_program():
            if "papers" in flags.FLAGS:
                catalogue.add(flags.FLAGS["papers"].value)
            if read_flags is not None:
                given.append(read_flags())
        # Not after absl's start: TensorFlow would look for devices in the middle of its import,
        # and Keras could build no model.
        importlib.import_module("tensorflow")
        return rest

    app.run(interruptible, flags_parser=parse)
    raise AssertionError("app.run does not return")


def end_without_reader() -> NoReturn:
    """Ends the program quietly if the reader of `program | head` has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit()


def _replace_context_of_tff() -> None:
    """Keeps TFF's own context, if a user's paper imported it, from printing a traceback.

    Its destructor prints one if the program ends while it reads flags.
    """
    if sys.modules.get("tensorflow_federated") is not None:
        importlib.import_module("tff_weights.runtime").use()


def _is_file_fault(error: Exception) -> bool:
    """Says whether a file could not be read or written, also by TensorFlow."""
    if isinstance(error, OSError):
        return error.errno in _FILE_FAULTS
    import tensorflow as tf

    faults = map(os.strerror, _FILE_FAULTS)
    return isinstance(error, tf.errors.OpError) and any(fault in str(error) for fault in faults)


@contextlib.contextmanager
def bad_input_ends_the_program() -> Iterator[None]:
    """Turns a `ValueError` or `OSError` of the block into one sentence and exit status 2.

    Only for blocks that look at what the user has given: an error further on is a fault of the
    program and keeps its traceback.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        exit_for_bad_input(str(error))


def exit_for_bad_input(sentence: str) -> NoReturn:
    """Prints the sentence to standard error and exits with status 2."""
    _end(sentence, start_up.BAD_INPUT_STATUS)


def _end(sentence: str, status: int) -> NoReturn:
    print(f"{os.path.basename(sys.argv[0])}: {sentence.rstrip('.')}.", file=sys.stderr)
    sys.exit(status)


def parse_flags(
    arguments: Sequence[str], *, description: str, argument: str | None = None
) -> list[str]:
    """Reads a program's arguments; it ends where they ask for help or the version, or are wrong.

    `description` is what `--help` says of the program; `run` explains `argument`. Returns the
    argument that is no flag: the name.
    """
    if usage.ASKED_FOR.intersection(arguments[1:]):
        print(usage.text(description), flush=True)
        sys.exit()
    if "--version" in arguments:
        print(start_up.version())
        sys.exit()
    try:
        flags.FLAGS.set_gnu_getopt()  # Arguments that are no flags may come before flags.
        name, *others = flags.FLAGS(arguments)
        if argument is not None and others and not flags.FLAGS[argument].present:
            flags.FLAGS[argument].parse(others.pop(0))
    except flags.UnrecognizedFlagError as error:
        own = f"A hyperparameter of your own is given as --hyperparameter={error.flagname}=VALUE."
        end = "" if str(error).endswith("?") else "."
        exit_for_bad_input(f"{error}{end} {own}" if "hyperparameter" in flags.FLAGS else str(error))
    except flags.Error as error:
        exit_for_bad_input(str(error))
    if others:
        exit_for_bad_input(f"only flags are taken, got {others[0]!r}")
    return [name]
