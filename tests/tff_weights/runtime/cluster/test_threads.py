"""Threads that share a cluster."""

from __future__ import annotations

import collections
import threading
import time

import numpy as np
import tensorflow_federated as tff

from tff_weights.runtime.cluster import hosts
from tff_weights.runtime.cluster.cohort import RemoteComputation
from tff_weights.runtime.cluster.hosts import Step


def _at_once(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_what_hosts_shall_forget_is_taken_by_one_of_two_threads():
    waiting = collections.deque(range(100_000))
    taken = [[], []]
    _at_once(*(lambda own=own: own.extend(hosts._taken(waiting)) for own in taken))
    assert sorted([*taken[0], *taken[1]]) == list(range(100_000))
    assert not waiting


class _SlowHosts:
    """Takes its time to share, in which another thread may overtake."""

    def __init__(self):
        self.told = []

    def new_key(self, owner):
        return 0

    def share(self, message):
        time.sleep(0.05)
        return "reference"

    def tell(self, index, step):
        self.told.append(step.method)
        return index, "answer"


def test_no_thread_has_a_host_compute_what_it_has_not_read():
    told_to = _SlowHosts()
    computation = RemoteComputation(tff.framework.Literal(1, tff.TensorType(np.int32)), told_to)

    def compute():
        computation.tell(0)
        told_to.tell(0, Step("map"))

    _at_once(compute, compute)
    assert told_to.told == ["read", "map", "map"]
