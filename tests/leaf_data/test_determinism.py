"""The same name and seed give the same numbers in any process."""

from __future__ import annotations

import os
import subprocess
import sys

import image_files

from leaf_data import registry
from leaf_data.fingerprint import fingerprint

_GENERATED = ("synthetic_1_1", "synthetic_dirichlet_0.5")
# One for each partitioner.
_PARTITIONED = (
    *("mnist", "fashion_mnist_x_class", "mnist_mixed_classes", "mnist_general_case_1"),
    *("mnist_general_case_2", "mnist_case_1", "mnist_case_2", "mnist_case_3", "mnist_entropy"),
    "mnist_major_minor",
)


def print_digests(data_dir: str) -> None:
    """Prints a line for each generated or partitioned data set; also run in another process."""
    for name in (*_GENERATED, *_PARTITIONED):
        options = image_files.SMALL_OPTIONS.get(name, {})
        dataset = registry.load(name, seed=11, data_dir=data_dir, options=options)
        print(name, fingerprint(dataset.train, dataset.test))


def test_another_process_generates_the_same_numbers(capsys, small_images):
    """With another hash seed, which would change whatever leans on hash() or on a set's order."""
    print_digests(small_images)
    ours = capsys.readouterr().out
    theirs = subprocess.run(
        [sys.executable, "-c", f"import test_determinism as t; t.print_digests({small_images!r})"],
        env={
            **os.environ,
            "PYTHONHASHSEED": "123",
            "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path]),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert len(ours.splitlines()) == len(_GENERATED) + len(_PARTITIONED)
    assert theirs == ours
