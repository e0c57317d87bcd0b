"""One Ray for all tests of a module; runtimes in this process join it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tff_weights.runtime.cluster.ray_session import RaySession


@pytest.fixture(scope="package")
def ray_session() -> Iterator[RaySession]:
    """A cluster of this process' own, that believes to have 4 processors."""
    with RaySession(address=None, num_cpus=4) as session:
        yield session
