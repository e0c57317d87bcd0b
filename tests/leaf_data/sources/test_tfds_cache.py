"""Tests of `leaf_data.sources.tfds_cache`."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
import tensorflow_datasets as tfds

from leaf_data.errors import DataError
from leaf_data.sources import tfds_cache

_ADDRESS = "http://127.0.0.1/toy"


class Toy(tfds.core.GeneratorBasedBuilder):
    """Five numbers, and a failure on demand."""

    VERSION = tfds.core.Version("1.0.0")
    pkg_dir_path = pathlib.Path(__file__).parent  # TFDS would look for a package.
    failure: BaseException | None = None
    num_generated = 0

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict({"label": tfds.features.ClassLabel(num_classes=9)})
        )

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples()}

    def _generate_examples(self):
        for index in range(5):
            if index == 3 and Toy.failure is not None:
                raise Toy.failure
            Toy.num_generated += 1
            yield index, {"label": index}


def _prepare(data_dir: pathlib.Path) -> tfds.core.DatasetBuilder:
    return tfds_cache.prepare_tfds(
        "toy", Toy, data_dir=data_dir, address=_ADDRESS, looked_for=[data_dir / "toy.npz"]
    )


@pytest.fixture(autouse=True)
def _network(monkeypatch):
    """As if the address answered, and nothing had been generated."""
    monkeypatch.setattr(tfds_cache, "require_network", lambda *_, **__: None)
    monkeypatch.setattr(Toy, "failure", None)
    monkeypatch.setattr(Toy, "num_generated", 0)
    pytest.importorskip("importlib_resources", reason="TFDS prepares nothing without it")


def test_is_prepared_once(tmp_path):
    for _ in range(2):
        builder = _prepare(tmp_path)
    assert Toy.num_generated == 5
    assert (tmp_path / "tensorflow_datasets" / "toy" / "1.0.0").is_dir()
    labels = tfds_cache.read_split(builder, "train")["label"]
    np.testing.assert_array_equal(np.sort(labels), np.arange(5))


def test_an_interrupted_preparation_leaves_nothing_that_looks_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(Toy, "failure", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        _prepare(tmp_path)
    assert not (tmp_path / "tensorflow_datasets" / "toy" / "1.0.0").exists()
    monkeypatch.setattr(Toy, "failure", None)
    assert len(tfds_cache.read_split(_prepare(tmp_path), "train")["label"]) == 5


@pytest.mark.parametrize(
    "failure", [ConnectionError("reset by peer"), tfds.core.download.DownloadError("404")]
)
def test_a_failed_download_is_one_sentence(tmp_path, monkeypatch, failure):
    monkeypatch.setattr(Toy, "failure", failure)
    with pytest.raises(DataError, match=f"data set 'toy': there is no .*toy.npz .*{failure}"):
        _prepare(tmp_path)


def test_a_damaged_cache_is_named(tmp_path):
    prepared = pathlib.Path(_prepare(tmp_path).data_dir)
    (record,) = prepared.glob("*.tfrecord*")
    record.write_bytes(record.read_bytes()[:-10])
    with pytest.raises(DataError, match="toy/1.0.0.*damaged; remove it"):
        tfds_cache.read_split(_prepare(tmp_path), "train")
