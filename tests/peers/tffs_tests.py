"""A plugin of pytest for TFF's own tests: finds what they import, and chooses where they compute.

The environment names TFF's sources (`TFF_SOURCES`) and the context (`TFF_CONTEXT`): `worker` for
TFF's own, `program` for the runtime inside the program.
"""

from __future__ import annotations

import functools
import importlib.machinery
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
from tff_weights.runtime.program.async_context import AsyncContext
from tff_weights.runtime.program.context import ProgramContext

_SOURCES = pathlib.Path(os.environ["TFF_SOURCES"])
_MODULES = {"local": (of_native, tff.backends.native), "test": (of_test, tff.backends.test)}


class _Helpers:
    """Finds the modules that TFF's package leaves out, such as those for its tests."""

    def find_spec(self, name, path=None, target=None):
        del path, target
        if not name.startswith("tensorflow_federated."):
            return None
        folder = _SOURCES.joinpath(*name.split(".")[:-1])
        return importlib.machinery.PathFinder.find_spec(name, [str(folder)])


def _options(default_num_clients=0, **of_the_worker):
    del of_the_worker
    return runtime.ProgramOptions(
        default_num_clients=default_num_clients, simulate_secure_aggregation=True
    )


def _create_sync(**options):
    return ProgramContext(_options(**options))


def _create_async(**options):
    return AsyncContext(_create_sync(**options))


def _set(create, **options):
    tff.framework.set_default_context(create(**options))


def pytest_configure():
    sys.meta_path.append(_Helpers())
    flags.FLAGS(["pytest", f"--test_tmpdir={pathlib.Path.cwd()}"])
    if os.environ["TFF_CONTEXT"] == "program":
        for kind, create in (("sync", _create_sync), ("async", _create_async)):
            for name, modules in _MODULES.items():
                for module in modules:
                    function = f"{kind}_{name}_cpp_execution_context"
                    setattr(module, f"create_{function}", create)
                    setattr(module, f"set_{function}", functools.partial(_set, create))


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
