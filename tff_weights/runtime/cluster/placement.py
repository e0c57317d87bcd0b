"""Assigns a cohort's clients to hosts, and knows which host holds which data set."""

from __future__ import annotations

import collections
import dataclasses
import threading
import weakref

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.cluster import packing
from tff_weights.runtime.cluster.hosts import Hosts, Reference, Step
from tff_weights.runtime.cluster.packing import HeldSequence, Packed, PackedSequence
from tff_weights.runtime.program.sequences import Sequence, reads_resources
from tff_weights.runtime.program.values import Value


@dataclasses.dataclass
class _Placed:
    """A data set of the program.

    Attributes:
        key: Under which hosts hold it.
        num_bytes: Its size.
        packed: The packed data set, until it is sent for the first time.
        hosts: The indices of those that hold it.
    """

    key: int
    num_bytes: int
    packed: PackedSequence | None
    hosts: set[int] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Client:
    """A client of one cohort.

    Attributes:
        values: Packed, one for every argument at clients.
        datasets: The data sets in them.
    """

    values: list[Packed] = dataclasses.field(default_factory=list)
    datasets: list[tuple[_Placed, Sequence]] = dataclasses.field(default_factory=list)

    @property
    def num_bytes(self) -> int:
        """The size of all the client's data."""
        return packing.num_bytes(self.values) + sum(one.num_bytes for one, _ in self.datasets)

    def main_host(self) -> int | None:
        """Returns the index of the host that holds most of its data, None if they are new."""
        held: collections.Counter[int] = collections.Counter()
        for placed, _ in self.datasets:
            for index in placed.hosts:
                held[index] += placed.num_bytes
        return max(sorted(held), key=held.__getitem__) if held else None


class Placement:
    """Where the clients' data sets lie, as long as they live in the program."""

    def __init__(self, hosts: Hosts):
        """Begins with nothing placed.

        Args:
            hosts: The hosts.
        """
        self._hosts = hosts
        self._placed: weakref.WeakKeyDictionary[tf.data.Dataset, _Placed] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = threading.Lock()

    def place(self, clients: list[Client]) -> tuple[list[int], list[Reference]]:
        """Assigns clients to hosts, and sends the data that the hosts lack.

        A client goes to the host that holds most of its data. Clients with new data are assigned by
        size, the largest first. Each goes to the host with the fewest bytes in this cohort so far,
        and among equals to the one that holds the fewest bytes.

        Args:
            clients: The cohort.

        Returns:
            The index of each client's host, and references for `Hosts.ask`.
        """
        with self._lock:
            indices = self._deal(clients)
            return indices, [
                self._hosts.tell(index, Step("hold_datasets", (datasets,)))
                for index in sorted(set(indices))
                if (datasets := self._new_at(index, clients, indices))
            ]

    def add(self, client: Client, value: Value, type_spec: tff.Type) -> None:
        """Packs one more value of a client.

        Args:
            client: The client.
            value: What it has.
            type_spec: Of what type.
        """
        client.values.append(self._pack(client, value, type_spec))

    def _pack(self, client: Client, value: Value, type_spec: tff.Type) -> Packed:
        if isinstance(value, tuple):
            types = packing.element_types(type_spec)
            return tuple(self._pack(client, *one) for one in zip(value, types))
        if isinstance(value, Sequence) and (placed := self._of(value)) is not None:
            client.datasets.append((placed, value))
            return HeldSequence(placed.key)
        return packing.pack(value, type_spec)

    def _of(self, sequence: Sequence) -> _Placed | None:
        """Returns the place of a data set of the program, None if hosts cannot keep its examples.

        A data set that reads a variable may have other examples in the next round.
        """
        dataset = sequence.dataset
        if dataset is None:
            return None
        with self._lock:
            if dataset not in self._placed:
                if reads_resources(dataset):
                    return None
                packed = packing.pack_sequence(sequence, None)
                self._placed[dataset] = _Placed(
                    self._hosts.new_key(dataset), packing.num_bytes(packed), packed
                )
            return self._placed[dataset]

    def _deal(self, clients: list[Client]) -> list[int]:
        in_cohort, in_all = [0] * self._hosts.number, [0] * self._hosts.number
        for placed in self._placed.values():
            for index in placed.hosts:
                in_all[index] += placed.num_bytes
        sizes = [1 + client.num_bytes for client in clients]  # Without bytes they work, too.
        dealt = {
            place: main
            for place, client in enumerate(clients)
            if (main := client.main_host()) is not None
        }
        for place, index in dealt.items():
            in_cohort[index] += sizes[place]
        new = (place for place in range(len(clients)) if place not in dealt)
        for place in sorted(new, key=lambda place: -sizes[place]):
            least = min(range(self._hosts.number), key=lambda i: (in_cohort[i], in_all[i]))
            dealt[place] = least
            in_cohort[least] += sizes[place]
            in_all[least] += sizes[place]
        return [dealt[place] for place in range(len(clients))]

    def _new_at(
        self, index: int, clients: list[Client], indices: list[int]
    ) -> dict[int, PackedSequence]:
        """Returns the data sets of a host's clients that it has not got, by their keys."""
        new = {}
        for client, of_client in zip(clients, indices):
            for placed, sequence in client.datasets:
                if of_client == index and index not in placed.hosts:
                    new[placed.key] = placed.packed or packing.pack_sequence(sequence, None)
                    placed.packed = None
                    placed.hosts.add(index)
        return new
