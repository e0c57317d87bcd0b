"""Small image files, written once for all tests that only read them; and no network."""

from __future__ import annotations

import image_files
import pytest

from leaf_data.sources import fetching, tfds_cache, tff_sqlite


@pytest.fixture(scope="session")
def small_images(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with `mnist.npz`, `fashion_mnist.npz` and `cifar10.npz` of 1,000 + 100 images."""
    folder = tmp_path_factory.mktemp("small_images")
    image_files.write_npz(folder / "mnist.npz")
    image_files.write_npz(folder / "fashion_mnist.npz")
    image_files.write_npz(folder / "cifar10.npz", image_shape=(32, 32, 3))
    return str(folder)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without waiting for a network that a test may not have."""

    def no_network(dataset, *, looked_for, address):
        raise fetching.missing_data(
            dataset, looked_for=looked_for, address=address, reason="no connection"
        )

    monkeypatch.setattr(tfds_cache, "require_network", no_network)
    monkeypatch.setattr(tff_sqlite, "require_network", no_network)
