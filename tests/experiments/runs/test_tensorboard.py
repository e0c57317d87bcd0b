from __future__ import annotations

import asyncio
import collections
import re

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from made_runs import small_run, train
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2, metadata

from experiments.runs import release
from experiments.runs.run_directory import RunDirectory


def test_each_participant_has_its_weight_by_its_id():
    """Of many clients the first have lines; a strange index has none."""
    change = release.with_client_weights([f"client_{index}" for index in range(1000)])
    cohort = {"reports": {"client_index": [49, 50, -1]}, "weights": [0.5, 0.25, 0.25]}
    value = {"a": 1, "aggregator": {"cohort": cohort}}
    assert change(value, 3) == {**value, "client_weight": {"client_49": 0.5}}
    assert change({"a": 1}, 3) == {"a": 1}


def test_the_summaries_are_those_of_tffs_manager(tmp_path):
    """A text is left out; the edges of 30 buckets of width 1 are exact."""
    value = {"a": {"b": np.array([[0, 30.0], [15, 15]])}, "empty": np.zeros(0), "equal": [3, 3]}
    value.update(strange=np.array([1, np.nan]), number=np.float32(0.1), flag=np.True_, text="x")
    found = []
    for make in (release.Summaries, tff.program.TensorBoardReleaseManager):
        manager = make(tmp_path / make.__name__)
        asyncio.run(manager.release(value, 7))
        manager._summary_writer.close()
        (path,) = (tmp_path / make.__name__).iterdir()
        events = tf.compat.v1.train.summary_iterator(str(path))
        values = [each for event in events for each in event.summary.value]
        found.append([(v.tag, str(v.metadata), str(tf.make_ndarray(v.tensor))) for v in values])
    assert found[0] == found[1] and len(found[0]) == 7


def test_a_run_is_in_tensorboards_files_with_its_charts_and_its_configuration(tmp_path):
    """Every chart finds tags, and every participant's weights of all rounds are in metrics.csv."""
    configuration = small_run("fed_fa", epochs=1, num_clients=4)
    train(tmp_path / "run", configuration, for_tensorboard=True)
    events = EventAccumulator(str(RunDirectory(tmp_path / "run").tensorboard))
    events.Reload()
    tags = events.Tags()["tensors"]

    layout = layout_pb2.Layout()
    (content,) = events.Tensors(metadata.CONFIG_SUMMARY_TAG)
    layout.ParseFromString(content.tensor_proto.string_val[0])
    charts = [chart for category in layout.category for chart in category.chart]
    assert len(charts) == 5
    for chart in charts:
        for pattern in chart.multiline.tag:
            assert any(re.match(pattern, tag) for tag in tags), (chart.title, pattern, tags)

    weights = collections.defaultdict(float)
    for tag in tags:
        if tag.startswith("client_weight/"):
            for event in events.Tensors(tag):
                weights[event.step] += float(tf.make_ndarray(event.tensor_proto))
    assert sorted(weights) == [1, 2]
    np.testing.assert_allclose([*weights.values()], 1.0, rtol=1e-6)  # FedFa's sum to 1.

    (card,) = events.Tensors(release.CONFIGURATION)
    assert configuration.configuration.to_json() in card.tensor_proto.string_val[0].decode()
