"""A plugin of pytest for TFF's own tests: finds what they import, and chooses where they compute.

The environment names TFF's sources (`TFF_SOURCES`) and the context (`TFF_CONTEXT`): `worker` for
TFF's own, `program` for the runtime inside the program.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import pathlib
import re
import sys

import pytest
import tensorflow_federated as tff
from absl import flags
from tensorflow_federated.python.core.backends.native import execution_contexts as of_native
from tensorflow_federated.python.core.backends.test import execution_contexts as of_test

from tff_weights import runtime

_SOURCES = pathlib.Path(os.environ["TFF_SOURCES"])


class _Helpers:
    """Finds the modules that TFF's package leaves out, such as those for its tests."""

    def find_spec(self, name, path=None, target=None):
        del path, target
        place = _SOURCES.joinpath(*name.split("."))
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if name.startswith("tensorflow_federated.") and file.is_file():
                return importlib.util.spec_from_file_location(name, file)
        return None


def _options(default_num_clients=0, **of_the_worker):
    del of_the_worker
    return runtime.ProgramOptions(
        default_num_clients=default_num_clients, simulate_secure_aggregation=True
    )


def _set_async(**options):
    tff.framework.set_default_context(runtime.async_context(_options(**options)))


def pytest_configure():
    sys.meta_path.append(_Helpers())
    flags.FLAGS(["pytest", f"--test_tmpdir={pathlib.Path.cwd()}"])
    if os.environ["TFF_CONTEXT"] == "program":
        for name, module in (("local", of_native), ("test", of_test)):
            setattr(
                module,
                f"set_sync_{name}_cpp_execution_context",
                lambda **options: runtime.use(_options(**options)),
            )
            setattr(module, f"set_async_{name}_cpp_execution_context", _set_async)


@pytest.fixture(scope="module")
def _context_of_file(request):
    """The one that the file chooses when it is run as a program."""
    chosen = re.search(
        r"set_sync_\w+\(\s*default_num_clients=(\d+)", inspect.getsource(request.module)
    )
    number = int(chosen[1]) if chosen else 0
    of_test.set_sync_test_cpp_execution_context(default_num_clients=number)
    return tff.framework.get_context_stack().current


@pytest.fixture(autouse=True)
def _context(_context_of_file):
    """Some tests choose another context and leave it there."""
    tff.framework.set_default_context(_context_of_file)
