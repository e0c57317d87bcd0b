"""A federated data set: clients with stable ids and indices, a train and a test split each."""

from __future__ import annotations

import dataclasses

import tensorflow_federated as tff

from leaf_data.checks import check_integer, check_name, check_number, check_seed, check_type
from leaf_data.pixels import UNIT, PixelScaling


@dataclasses.dataclass(frozen=True)
class DocumentedStatistics:
    """What the source of a data set says about it: a row of the papers' Table 1.

    Attributes:
        num_clients: The number of clients.
        num_samples: The number of samples over all clients, train and test together.
        mean_samples_per_client: Rounded as in the source; None if the source does not say it.
        stdev_samples_per_client: Likewise; the population standard deviation.
    """

    num_clients: int
    num_samples: int
    mean_samples_per_client: float | None = None
    stdev_samples_per_client: float | None = None

    def __post_init__(self) -> None:
        """Checks the numbers.

        Raises:
            ValueError: If one is out of range.
        """
        check_integer("num_clients", self.num_clients, least=1)
        check_integer("num_samples", self.num_samples, least=1)
        for name in ("mean_samples_per_client", "stdev_samples_per_client"):
            if getattr(self, name) is not None:
                check_number(
                    name, getattr(self, name), lambda x: x >= 0.0, "finite and at least 0, or None"
                )


@dataclasses.dataclass(frozen=True)
class FederatedDataset:
    """A federated data set: clients in a fixed order, each with a train and a test split.

    Attributes:
        name: The data set's name.
        train: Each client's training examples.
        test: Each client's test examples; a client may have none.
        seed: The seed of the generation or the partition; None if nothing is random.
        num_classes: The labels `y` are in `0..num_classes-1`; None if they are not class indices.
        documented: What the source says about the data set, if it says anything.
        origin: The source of the raw data, if several are possible; it is recorded with results.
        pixels: How models and LEAF's JSON scale the bytes of images; without meaning for other
            data.
        alphabet: The character of each symbol `0..num_classes-1`, if every `x` is a window of
            symbols and `y` the one after it; None for other data.
    """

    name: str
    train: tff.simulation.datasets.ClientData
    test: tff.simulation.datasets.ClientData
    seed: int | None = None
    num_classes: int | None = None
    documented: DocumentedStatistics | None = None
    origin: str | None = None
    pixels: PixelScaling = UNIT
    alphabet: str | None = None
    _client_index: dict[str, int] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields, and that both splits have the same clients.

        Raises:
            ValueError: If a field is out of range or of another type, or if the splits differ in
                their clients or the clients' order.
        """
        check_name("name", self.name)
        check_type("train", self.train, tff.simulation.datasets.ClientData)
        check_type("test", self.test, tff.simulation.datasets.ClientData)
        if self.seed is not None:
            check_seed("seed", self.seed)
        if self.num_classes is not None:
            check_integer("num_classes", self.num_classes, least=1)
        check_type("pixels", self.pixels, PixelScaling)
        if self.alphabet is not None:
            check_type("alphabet", self.alphabet, str)
            if len(self.alphabet) != self.num_classes:
                raise ValueError(
                    f"alphabet has {len(self.alphabet)} characters; it must have num_classes of"
                    f" them, {self.num_classes}."
                )
        client_ids = self.train.client_ids
        if client_ids != self.test.client_ids:
            differing = set(client_ids) ^ set(self.test.client_ids)
            raise ValueError(
                f"train and test of data set {self.name!r} must have the same client ids in the"
                f" same order; {len(differing)} are only in one of them: {sorted(differing)[:3]}."
            )
        object.__setattr__(
            self, "_client_index", {client_id: index for index, client_id in enumerate(client_ids)}
        )

    @property
    def client_ids(self) -> list[str]:
        """The N client ids, in the order of their integer index."""
        return list(self._client_index)

    @property
    def num_clients(self) -> int:
        """The number N of clients."""
        return len(self._client_index)

    def client_index(self, client_id: str) -> int:
        """The stable integer index of a client, in `0..N-1`.

        Raises:
            ValueError: If there is no such client.
        """
        try:
            return self._client_index[client_id]
        except KeyError:
            raise ValueError(
                f"client_id is {client_id!r}; it must be one of the {self.num_clients} in"
                f" `client_ids` of data set {self.name!r}."
            ) from None
