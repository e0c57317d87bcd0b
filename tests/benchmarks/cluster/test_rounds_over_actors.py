from __future__ import annotations

import tensorflow_federated as tff

from benchmarks.cluster import tables
from benchmarks.cluster.cost import CostModel
from benchmarks.cluster.rounds import CASES, measure
from tff_weights import runtime


def test_rounds_by_turns_and_their_tables():
    """In the program three times, where nothing is moved; 3 clients, 1,004 parameters."""
    case = CASES["moving/1000"]
    case = case._replace(workload=case.workload.resized(clients=3))
    with runtime.using():
        here = tff.framework.get_context_stack().current
        measured = measure("large", case, dict.fromkeys((0, 1, 2), here), repeats=2)
    assert (measured.parameters, measured.round.model_bytes) == (1_004, 4_016)
    for times in (measured.program, *measured.actors.values()):
        assert (len(times.seconds), times.bytes_sent, times.longest) == (2, 0, times.processor)
    model = CostModel(fixed=1.0, per_actor=0.0, per_byte=0.0, per_actor_byte=0.0)
    of_model, of_hosts = (each(model, [measured]) for each in (tables.of_model, tables.of_hosts))
    assert of_model.count("| not fitted | 3 |") == 2  # Clients.
    # Against 16 processors 100 hosts win 1/16 - 1/100 of the computing, for 1.0006 s of overhead.
    assert "| 1,004 | 10 | 1 | 0.191 | 1 |" in of_hosts
    for table in (of_model, of_hosts, tables.of_rounds([measured]), tables.of_bytes([measured])):
        assert len({line.count("|") for line in table.splitlines()}) == 1
