"""Small image files, written once for all tests that only read them."""

from __future__ import annotations

import image_files
import pytest


@pytest.fixture(scope="session")
def small_images(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with `mnist.npz`, `fashion_mnist.npz` and `cifar10.npz` of 1,000 + 100 images."""
    folder = tmp_path_factory.mktemp("small_images")
    image_files.write_npz(folder / "mnist.npz")
    image_files.write_npz(folder / "fashion_mnist.npz")
    image_files.write_npz(folder / "cifar10.npz", image_shape=(32, 32, 3))
    return str(folder)
