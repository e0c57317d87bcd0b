"""A cohort whose clients are spread over hosts."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow_federated as tff

from tff_weights.runtime.cluster import packing
from tff_weights.runtime.cluster.host import Call
from tff_weights.runtime.cluster.hosts import Hosts, Reference, Step
from tff_weights.runtime.cluster.packing import Packed
from tff_weights.runtime.cluster.placement import Client, Placement
from tff_weights.runtime.cluster.plans import Held, Plan
from tff_weights.runtime.program.cohort import AnyFunction, Cohort
from tff_weights.runtime.program.values import Clients, Everywhere, Value


class RemoteComputation:
    """A computation that is sent to hosts before they first compute for it.

    Attributes:
        key: The key under which hosts keep it, as long as this object lives.
    """

    def __init__(self, block: tff.framework.ComputationBuildingBlock, hosts: Hosts):
        """Sends nothing.

        Args:
            block: The computation.
            hosts: The hosts.
        """
        self.key = hosts.new_key(self)
        self._hosts = hosts
        self._serialized: bytes = block.proto.SerializeToString()
        self._shared: Any = None
        self._read_by: set[int] = set()
        self._telling = threading.Lock()

    def tell(self, index: int) -> list[Reference]:
        """Lets a host read it, unless it has; returns references for `Hosts.ask`."""
        with self._telling:  # Otherwise another thread's request might reach the host first.
            if index in self._read_by:
                return []
            if self._shared is None:
                self._shared = self._hosts.share(self._serialized)
            told = self._hosts.tell(index, Step("read", (self.key, self._shared)))
            self._read_by.add(index)
        return [told]


class _AtHosts:
    """Values that hosts hold under a key, for their clients, until this object is gone."""

    def __init__(self, hosts: Hosts):
        self.key = hosts.new_key(self)


@dataclasses.dataclass(frozen=True, eq=False)
class _Broadcast(Everywhere):
    """A value that all clients have; the hosts get it at its first use."""

    at_hosts: _AtHosts


class RayCohort(Cohort):
    """The cohort of one call of a computation; each host has a `LocalCohort` of its share.

    Values at clients stay at their hosts. Requests to a host wait for the next question to it, and
    go there together: a question is for accumulators in `aggregate`, for results in `leave`.

    The hosts' accumulators are merged in the order of the first client of each. Some accumulators
    grow with the number of clients, such as a gathered table; an open dimension of the type shows
    it. Each run of neighbouring clients at one host then has its own accumulator, so that the
    result is in the cohort's order.
    """

    def __init__(
        self,
        size: int,
        *,
        computation: RemoteComputation,
        hosts: Hosts,
        placement: Placement,
        check: Callable[[], None],
    ):
        """Makes a cohort.

        Args:
            size: The number of clients.
            computation: What is computed.
            hosts: The hosts.
            placement: Where data sets lie.
            check: Called now and then while waiting; raises to end it.
        """
        self.size = size
        self._computation = computation
        self._hosts = hosts
        self._placement = placement
        self._check = check
        self._host_of_place: list[int] = []
        self._shares: dict[int, list[int]] = {}  # By host, the places of its clients.
        self._told: list[Reference] = []
        self._steps: dict[int, list[Step]] = {}  # By host, what it is not told yet.
        # What these make and use, which hosts forget before they do what they are told.
        self._needed: list[_AtHosts] = []
        self._broadcasts: set[int] = set()  # The keys of those that were sent.

    def enter(self, argument: Value, type_spec: tff.Type) -> Value:
        """Assigns the clients to hosts, and sends the clients' values there."""
        columns = list(_columns(argument, type_spec))
        clients = [Client() for _ in range(self.size)]
        with self._hosts.moving():
            for values, member_type in columns:
                for client, value in zip(clients, values):
                    self._placement.add(client, value, member_type)
        self._host_of_place, told = self._placement.place(clients)
        self._told += told
        for place, index in enumerate(self._host_of_place):
            self._shares.setdefault(index, []).append(place)
        for index in self._shares:
            self._told += self._computation.tell(index)
        held = iter([self._hold(clients, column) for column in range(len(columns))])
        return self._with_columns(argument, type_spec, held)

    def leave(self, result: Value, type_spec: tff.Type) -> Value:
        """Fetches the values at clients."""
        fetched = self._fetch(result, type_spec)
        if self._steps:  # Nobody needs what they make, but they may fail, or write files.
            self._tell_all()
        return fetched

    def _fetch(self, result: Value, type_spec: tff.Type) -> Value:
        if isinstance(type_spec, tff.StructType):
            types = packing.element_types(type_spec)
            return tuple(self._fetch(*one) for one in zip(result, types))
        if not _is_at_clients(type_spec) or isinstance(result, Everywhere):
            return result
        plan, of_type = self._plan(result, type_spec.member), _serialized(type_spec.member)
        answers = self._ask("fetch", dict.fromkeys(self._shares, (plan, of_type)))
        return Clients(self._in_order(self._shares, answers))

    def broadcast(self, value: Value) -> Everywhere:
        """Gives every client a value."""
        return _Broadcast(value, _AtHosts(self._hosts))

    def evaluate(self, function: AnyFunction) -> Value:
        """Calls a function without an argument at every client."""
        return self._tell("evaluate", function)

    def map(self, function: AnyFunction, values: Value) -> Value:
        """Calls a function at every client with its value."""
        return self._tell("map", function, self._plan(values, function.type_signature.parameter))

    def zip(self, values: Value) -> Value:
        """Returns the structure; each host assembles its part when it is used."""
        return values

    def select(
        self, keys: Value, server_value: Value, select: AnyFunction, element_type: tff.Type
    ) -> Value:
        """Gives every client the data set of `select((server_value, key))` for each of its keys."""
        with self._hosts.moving():
            packed = packing.pack(server_value, select.type_signature.parameter[0])
        value = self._hosts.share(packed)
        return self._tell(
            "select", select, self._plan(keys, None), value, _serialized(element_type)
        )

    def aggregate(
        self, values: Value, zero: Value, accumulate: AnyFunction, merge: AnyFunction
    ) -> Value:
        """Folds the clients' values at their hosts, and merges the accumulators here."""
        zero_type, value_type = packing.element_types(accumulate.type_signature.parameter)
        plan = self._plan(values, value_type)
        with self._hosts.moving():
            packed = packing.pack_function(accumulate), packing.pack(zero, zero_type)
        start = self._hosts.share(packed)
        runs = self._runs(in_order=_grows(accumulate.type_signature.result))
        lengths = {index: [len(run) for run in of_host] for index, of_host in runs.items()}
        answers = self._ask("fold", {index: (plan, start, lengths[index]) for index in runs})
        first_places = {index: [run[0] for run in of_host] for index, of_host in runs.items()}
        accumulators = self._in_order(first_places, answers)
        return merge.fold(accumulators[0], accumulators[1:]) if accumulators else zero

    def _runs(self, *, in_order: bool) -> dict[int, list[list[int]]]:
        """Returns the clients' places by host and accumulator."""
        if not in_order:
            return {index: [share] for index, share in self._shares.items()}
        runs: dict[int, list[list[int]]] = {}
        for index, run in itertools.groupby(range(self.size), self._host_of_place.__getitem__):
            runs.setdefault(index, []).append(list(run))
        return runs

    def _hold(self, clients: list[Client], column: int) -> _AtHosts:
        """Has the hosts hold the clients' values of one part of the argument."""
        held = self._new_result()
        for index, share in self._shares.items():
            values = [clients[place].values[column] for place in share]
            self._add(index, "hold_clients", held.key, values)
        return held

    def _with_columns(
        self, argument: Value, type_spec: tff.Type, held: Iterator[_AtHosts]
    ) -> Value:
        """Returns the argument with the hosts' held values in place of the clients' values."""
        if isinstance(type_spec, tff.StructType):
            types = packing.element_types(type_spec)
            return tuple(self._with_columns(*one, held) for one in zip(argument, types))
        if not _is_at_clients(type_spec):
            return argument
        return self.broadcast(argument.value) if type_spec.all_equal else next(held)

    def _plan(self, values: Value, type_spec: tff.Type | None) -> Plan:
        """Returns the plan of values at clients for hosts, and adds new values to the requests."""
        if isinstance(values, _Broadcast):
            self._send(values, type_spec)
            values = values.at_hosts
        if isinstance(values, _AtHosts):
            self._needed.append(values)
            return Held(values.key)
        types = packing.element_types(type_spec)
        return tuple(self._plan(*one) for one in zip(values, types))

    def _send(self, broadcast: _Broadcast, type_spec: tff.Type | None) -> None:
        key = broadcast.at_hosts.key
        if key in self._broadcasts:
            return
        self._broadcasts.add(key)
        with self._hosts.moving():
            packed = packing.pack(broadcast.value, type_spec)
        shared = self._hosts.share(packed)
        for index in self._shares:
            self._add(index, "hold_everywhere", key, shared)

    def _tell(self, method: str, function: AnyFunction, *arguments: Any) -> _AtHosts:
        """Lets hosts apply a function; returns where the results will be."""
        self._check()
        with self._hosts.moving():
            packed = packing.pack_function(function)
        result = self._new_result()
        for index in self._shares:
            self._add(index, method, result.key, packed, *arguments)
        return result

    def _ask(
        self, method: str, arguments: Mapping[int, tuple[Any, ...]]
    ) -> dict[int, list[Packed]]:
        """Returns what hosts answer, by their indices."""
        for index, of_host in arguments.items():
            self._add(index, method, *of_host)
        return self._tell_all()

    def _add(self, index: int, method: str, *arguments: Any) -> None:
        """Adds a step to the next message to a host."""
        call = Call(self._computation.key, len(self._shares[index]))
        self._steps.setdefault(index, []).append(Step(method, (call, *arguments)))

    def _tell_all(self) -> dict[int, Any]:
        """Tells hosts what they shall do; returns what the last step of each answers."""
        steps, told = self._steps, self._told
        self._steps, self._told = {}, []
        questions = [self._hosts.tell(index, *of_host) for index, of_host in steps.items()]
        self._needed.clear()
        return dict(zip(steps, self._hosts.ask(told, questions, self._check)))

    def _new_result(self) -> _AtHosts:
        self._needed.append(_AtHosts(self._hosts))
        return self._needed[-1]

    def _in_order(
        self, places: Mapping[int, list[int]], answers: Mapping[int, list[Packed]]
    ) -> list[Value]:
        """Returns the hosts' answers in the order of their places in the cohort."""
        by_place = {
            place: packed
            for index, of_host in answers.items()
            for place, packed in zip(places[index], of_host)
        }
        with self._hosts.moving():
            return [packing.unpack(by_place[place]) for place in sorted(by_place)]


def _columns(argument: Value, type_spec: tff.Type) -> Iterator[tuple[Clients, tff.Type]]:
    """Yields the clients' values in an argument, each with its type."""
    if isinstance(type_spec, tff.StructType):
        for part, part_type in zip(argument, packing.element_types(type_spec)):
            yield from _columns(part, part_type)
    elif _is_at_clients(type_spec) and not type_spec.all_equal:
        yield argument, type_spec.member


def _is_at_clients(type_spec: tff.Type) -> bool:
    return isinstance(type_spec, tff.FederatedType) and type_spec.placement is tff.CLIENTS


def _grows(type_spec: tff.Type) -> bool:
    if isinstance(type_spec, tff.TensorType):
        return type_spec.shape is None or None in type_spec.shape
    return isinstance(type_spec, tff.SequenceType) or any(map(_grows, type_spec.children()))


def _serialized(type_spec: tff.Type) -> bytes:
    return tff.types.serialize_type(type_spec).SerializeToString()
