from __future__ import annotations

import threading
import time

import pytest
import tensorflow_federated as tff

from tff_weights import runtime
from tff_weights.runtime import ProgramOptions, choice
from tff_weights.runtime.program.context import ProgramContext

_ONE_THREAD = ProgramOptions(client_threads=1)


@tff.federated_computation
def _five():
    return tff.federated_value(5, tff.SERVER)


def _default_context():
    return tff.framework.get_context_stack().current


@pytest.fixture
def _chosen_for_life(monkeypatch):
    """Lets a test choose runtimes until the program ends, and takes the choice back."""
    previous = _default_context()
    monkeypatch.setattr(choice, "_chosen", {})
    yield
    for context in choice._chosen.values():
        context.close()
    tff.framework.set_default_context(previous)


def test_runtimes_can_be_nested_and_end_with_an_error():
    outer = _default_context()
    with pytest.raises(KeyError), runtime.using(_ONE_THREAD):
        middle = _default_context()
        assert middle.options is _ONE_THREAD
        with runtime.using():
            assert _default_context().options == ProgramOptions()
            assert _five() == 5
        assert _default_context() is middle
        raise KeyError
    assert _default_context() is outer
    assert _five() == 5


@pytest.mark.usefixtures("_chosen_for_life")
def test_a_runtime_for_life_is_shared_by_equal_options():
    runtime.use()
    first = _default_context()
    assert type(first) is ProgramContext
    runtime.use(ProgramOptions())
    assert _default_context() is first
    runtime.use(_ONE_THREAD)
    second = _default_context()
    assert second is not first
    runtime.use()  # The latest choice.
    assert _default_context() is second
    runtime.use(ProgramOptions())
    assert _default_context() is first
    assert _five() == 5


@pytest.mark.usefixtures("_chosen_for_life")
def test_threads_that_choose_at_once_share_one(monkeypatch):
    made, start = [], threading.Barrier(3)
    make = choice._new_context

    def make_slowly(options):
        time.sleep(0.05)
        made.append(make(options))
        return made[-1]

    def choose(found):
        start.wait()
        runtime.use()
        found.append(_default_context())

    monkeypatch.setattr(choice, "_new_context", make_slowly)
    found = []
    threads = [threading.Thread(target=choose, args=[found]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 3 and all(context is made[0] for context in found)


def test_other_things_than_options_are_refused():
    with pytest.raises(TypeError, match="ProgramOptions.*8"):
        runtime.use(8)
    with pytest.raises(TypeError, match="ProgramOptions.*'device'"):
        runtime.use({"device": "cpu"})
    with pytest.raises(TypeError, match="ProgramOptions.*8"), runtime.using(8):
        pass


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("device", "tpu", ValueError),
        ("client_threads", 0, ValueError),
        ("client_threads", 1.5, TypeError),
        ("client_threads", True, TypeError),
        ("default_num_clients", -1, ValueError),
        ("default_num_clients", 2.0, TypeError),
        ("simulate_secure_aggregation", 1, TypeError),
    ],
)
def test_a_wrong_option_is_named(option, value, error):
    with pytest.raises(error, match=f"^{option} must be .*{value!r}"):
        ProgramOptions(**{option: value})
