"""Small image files in the form of the real ones; not a test module."""

from __future__ import annotations

import io
import pathlib
import zipfile

import numpy as np
import tensorflow as tf
from leaf_files import write_tff_sqlite

# Options with which the data sets fit into the small pools of the fixture `small_images`.
SMALL_OPTIONS = {
    "mnist": {"num_clients": 20},
    "mnist_x_class": {"samples_per_client": 60},
    "fashion_mnist_x_class": {"samples_per_client": 60},
    "mnist_mixed_classes": {"samples_per_client": 60},
    "mnist_general_case_1": {"samples_per_client": 60},
    "mnist_general_case_2": {"samples_per_client": 60},
    **{f"{images}_case_{case}": {} for images in ("mnist", "cifar10") for case in (1, 2, 3)},
    "mnist_entropy": {"num_samples": 500},
    "fashion_mnist_entropy": {"num_samples": 500},
    "cifar10_entropy": {"num_samples": 500},
    "mnist_major_minor": {"samples_per_client": 20, "stdev": 0},
}


def random_arrays(
    *, image_shape: tuple[int, ...] = (28, 28), num_classes: int = 10, per_class: int = 100
) -> dict[str, np.ndarray]:
    """Equally many random images of each class in train, a tenth of them in test, shuffled.

    The first pixel of every image is its label, the second 1 in the test set and else 0.
    """
    generator = np.random.default_rng(0)
    arrays = {}
    for is_test, (split, count) in enumerate((("train", per_class), ("test", per_class // 10))):
        y = generator.permutation(np.repeat(np.arange(num_classes, dtype=np.uint8), count))
        x = generator.integers(0, 256, (len(y), *image_shape), np.uint8)
        x[:, 0, 0] = y[:, None] if len(image_shape) == 3 else y
        x[:, 0, 1] = is_test
        arrays[f"{split}_x"], arrays[f"{split}_y"] = x, y
    return arrays


def write_npz(path: pathlib.Path, **arguments) -> dict[str, np.ndarray]:
    """Writes `random_arrays` and returns them."""
    arrays = random_arrays(**arguments)
    np.savez_compressed(path, **arrays)
    return arrays


def npz_bytes(**arrays: np.ndarray) -> bytes:
    """The bytes of an `.npz` with these arrays."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def write_image_zip(path: pathlib.Path, *, per_class: int = 3, shape=(8, 8, 3)) -> None:
    """A zip of JPEG images in `train/<class>/` and `test/<class>/`; cats are dark, dogs bright."""
    with zipfile.ZipFile(path, "w") as archive:
        for split, count in (("train", per_class), ("test", 1)):
            for name, brightness in (("dog", 200), ("cat", 20)):
                for index in range(count):
                    image = np.full(shape, brightness, np.uint8)
                    archive.writestr(
                        f"{split}/{name}/{index:04d}.jpg", tf.io.encode_jpeg(image).numpy()
                    )


def write_emnist_sqlite(path: pathlib.Path, writers) -> None:
    """TFF's SQLite form of EMNIST by writer.

    Args:
      path: The file.
      writers: For each split a mapping from client id to `(pixels [n, 28, 28], labels [n])`.
    """
    examples = {
        f"all_{split}": {
            client_id: [
                {"pixels": np.ravel(image).astype(float).tolist(), "label": [int(label)]}
                for image, label in zip(pixels, labels)
            ]
            for client_id, (pixels, labels) in clients.items()
        }
        for split, clients in writers.items()
    }
    write_tff_sqlite(path, examples)


def write_femnist_npz(path: pathlib.Path, *, per_class: int = 6, **changed) -> None:
    """LEAF's FEMNIST by writer in one `.npz`: the writers a, b and c, of whom b is not whole.

    Every writer has `per_class` training images, and one test image, of each of the 62 classes; the
    first pixel is the label, the second the writer, and the third 1 in the test set.
    """
    arrays = {"writers": np.array(["a", "b", "c"]), "status": np.array([2, 1, 2], np.uint8)}
    for is_test, (split, count) in enumerate((("train", per_class), ("test", 1))):
        y, writer = np.tile(np.arange(62).repeat(count), 3), np.arange(3).repeat(62 * count)
        x = np.zeros((len(y), 28, 28), np.uint8)
        x[:, 0, 0], x[:, 0, 1], x[:, 0, 2] = y, writer, is_test
        arrays.update({f"{split}_x": x, f"{split}_y": y, f"{split}_writer": writer})
    arrays.update(changed)
    np.savez_compressed(path, **{key: array for key, array in arrays.items() if array is not None})
