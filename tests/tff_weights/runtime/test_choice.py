from __future__ import annotations

import pytest
import tensorflow_federated as tff

from tff_weights.runtime import WorkerError, WorkerOptions, local, local_worker, use_local_worker


@tff.federated_computation
def _five():
    return tff.federated_value(5, tff.SERVER)


def _default_context():
    return tff.framework.get_context_stack().current


@pytest.fixture
def _process_context(monkeypatch):
    """Lets a test choose the worker for life, and takes the choice back."""
    previous = _default_context()
    monkeypatch.setattr(local, "_process_context", None)
    yield
    local._process_context.close()
    tff.framework.set_default_context(previous)


def test_the_context_is_restored_even_after_an_error():
    outer = _default_context()
    with pytest.raises(KeyError), local_worker():
        assert _default_context() is not outer
        raise KeyError
    assert _default_context() is outer
    assert _five() == 5


def test_workers_can_be_nested():
    with local_worker():
        middle = _default_context()
        with local_worker():
            assert _five() == 5
        assert _default_context() is middle
        assert _five() == 5


def test_a_stopped_worker_says_what_to_do():
    with local_worker():
        context = _default_context()
    with pytest.raises(WorkerError, match="use_local_worker"):
        context.invoke(_five, None)


@pytest.mark.usefixtures("_process_context")
def test_a_worker_for_life_is_chosen_once():
    options = WorkerOptions(max_concurrent_computation_calls=2)
    use_local_worker(options)
    chosen = _default_context()
    assert _five() == 5
    use_local_worker()
    use_local_worker(options)
    assert _default_context() is chosen
    with pytest.raises(ValueError, match="max_concurrent_computation_calls=3"):
        use_local_worker(WorkerOptions(max_concurrent_computation_calls=3))


def test_other_things_than_options_are_refused(monkeypatch):
    monkeypatch.setattr(local, "_process_context", None)
    with pytest.raises(TypeError, match="WorkerOptions.*8"):
        use_local_worker(8)
    with pytest.raises(TypeError, match="WorkerOptions.*8"), local_worker(8):
        pass
