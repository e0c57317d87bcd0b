"""The evaluation of a task's model on all clients, and its names in the tables."""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from experiments.runs.configuration import BOTH
from leaf_data.client_data import ArrayClientData, client_examples, num_examples_per_client
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.random_streams import random_stream
from leaf_data.tasks import Task
from tff_weights import (
    OwnModels,
    PerClientEvaluation,
    build_fine_tuning,
    build_own_model_evaluation,
    build_per_client_evaluation,
    client_statistics,
    fairness_statistics,
)

if TYPE_CHECKING:
    from experiments.runs.training import PreparedRun


class RunEvaluation(NamedTuple):
    """How the models of a run are evaluated and read.

    Attributes:
        evaluate: From a state of its process to the evaluation.
        models: From a state to the weights of each client's own model, with its id, or of the
            shared model, with None.
    """

    evaluate: Callable[[Any], TaskEvaluation]
    models: Callable[[Any], Iterable[tuple[str | None, tff.learning.models.ModelWeights]]]


@dataclasses.dataclass(frozen=True)
class TaskEvaluation:
    """The global model, or each client's own, on the two splits of every client evaluated.

    Attributes:
        client_ids: These clients, in the order of the data set.
        evaluate_train: Evaluates the training data; called if their evaluation is asked for.
        smaller_is_better: By the name of each Keras metric of a task without classes. Such a task
            has losses and these metrics instead of accuracies.
    """

    client_ids: Sequence[str]
    evaluate_train: Callable[[], PerClientEvaluation]
    test: PerClientEvaluation
    smaller_is_better: Mapping[str, bool] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def train(self) -> PerClientEvaluation:
        """The evaluation on the training data."""
        return self.evaluate_train()

    def metrics(self, *, data: str = BOTH) -> collections.OrderedDict[str, float]:
        """Returns the scalars of a round's row; with `data="test"` without those of training data.

        They are `train_loss` and `test_loss`, means over all examples; `train_average`, the mean
        over clients of their training accuracy; and `test_` with every name of
        `FairnessStatistics`, in percent. For a task without classes they are the losses, and names
        of the form `test_`, `loss` or the metric's name, and a name of `FairnessStatistics`.
        """
        found = collections.OrderedDict()
        if data == BOTH:
            found["train_loss"] = self.train.loss
            if not self.smaller_is_better:
                train = fairness_statistics(self.train.accuracies, self.train.num_examples)
                found["train_average"] = train.average
        found["test_loss"] = self.test.loss
        for name, values in per_client_columns(self.test).items():
            if self.smaller_is_better:
                prefix, is_smaller_better = f"test_{name}", self.smaller_is_better.get(name, True)
                statistics = client_statistics(
                    values, self.test.num_examples, smaller_is_better=is_smaller_better
                )
            else:
                prefix, statistics = "test", fairness_statistics(values, self.test.num_examples)
            for field, value in dataclasses.asdict(statistics).items():
                found[f"{prefix}_{field}"] = value
        return found


def per_client_columns(evaluation: PerClientEvaluation) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the measurements of each client by name: the accuracy, or loss and metrics."""
    if evaluation.losses is None or not evaluation.metrics:
        return {"accuracy": evaluation.accuracies}
    return {"loss": evaluation.losses, **evaluation.metrics}


def choose_evaluated_clients(
    dataset: FederatedDataset, *, num_clients: int | None, seed: int
) -> list[str]:
    """Returns the ids of the clients that are evaluated, in the order of the data set.

    These are all clients, or the requested number, drawn from those with test examples.

    Raises:
        ValueError: If there are fewer clients with test examples, or none.
    """
    candidates = np.flatnonzero(num_examples_per_client(dataset.test))
    if not len(candidates):
        raise ValueError(
            f"data set {dataset.name!r}: no client has a test example, and none can be evaluated"
        )
    if num_clients is None:
        return dataset.client_ids
    if num_clients > len(candidates):
        raise ValueError(
            "clients_per_evaluation must be at most the number of clients with test examples, "
            f"{len(candidates)}, got {num_clients}"
        )
    generator = random_stream(seed, "clients of the evaluation")
    chosen = generator.choice(candidates, size=num_clients, replace=False)
    return [dataset.client_ids[index] for index in sorted(chosen)]


def of_global_model(prepared: PreparedRun) -> RunEvaluation:
    """Builds the evaluation of a run's global model on its evaluated clients."""
    evaluate = _on_both_splits(
        build_per_client_evaluation, prepared.task, prepared.evaluated_clients
    )
    weights_of = prepared.process.get_model_weights
    return RunEvaluation(
        lambda state: evaluate(weights_of(state)), lambda state: [(None, weights_of(state))]
    )


def of_own_models(prepared: PreparedRun) -> RunEvaluation:
    """Builds the evaluation of each client's own model, of `build_trained_alone` or Ditto."""
    task = prepared.task
    evaluate = _on_both_splits(build_own_model_evaluation, task, prepared.evaluated_clients)
    own_models = OwnModels(task.build_model(0), prepared.directory.variates)
    indices = [task.dataset.client_index(client_id) for client_id in prepared.evaluated_clients]
    return RunEvaluation(
        lambda state: evaluate(
            lambda place: own_models.weights(state, indices[place]),
            own_models.versions(state)[indices],
        ),
        lambda state: (
            (client_id, own_models.weights(state, index))
            for index, client_id in enumerate(task.dataset.client_ids)
        ),
    )


def of_fine_tuned_model(prepared: PreparedRun, *, steps: int) -> RunEvaluation:
    """Builds the evaluation of the global model, fine-tuned on each client.

    The run keeps the global model itself.

    Args:
        prepared: The run; its local training gives batch size, rate and optimizer.
        steps: The number of steps that a client takes on its training examples.
    """
    task, data = prepared.task, prepared.run.algorithm.part("data")
    local_training = data.local_training(prepared.run.configuration, task)
    fine_tune = build_fine_tuning(
        task.build_model(0),
        dataclasses.replace(local_training, epochs=None, steps=steps, extra_step_from=None),
    )
    data_of = data.of_rounds(task, lambda client_index: [client_index])
    evaluate = _on_both_splits(build_own_model_evaluation, task, prepared.evaluated_clients)
    indices = [task.dataset.client_index(client_id) for client_id in prepared.evaluated_clients]
    num_evaluations = itertools.count()

    def evaluate_fine_tuned(state: Any) -> TaskEvaluation:
        weights = prepared.process.get_model_weights(state)
        # Every evaluation has another model.
        versions = np.full(len(indices), next(num_evaluations))
        return evaluate(lambda place: fine_tune(weights, *data_of(indices[place])), versions)

    return RunEvaluation(
        evaluate_fine_tuned, lambda state: [(None, prepared.process.get_model_weights(state))]
    )


def _on_both_splits(
    build: Callable[..., Callable[..., PerClientEvaluation]], task: Task, client_ids: Sequence[str]
) -> Callable[..., TaskEvaluation]:
    """Builds an evaluation of the task's model on the clients' training and on their test data."""
    # Only the model's function is used: the weights come with each call.
    model = task.build_model(0)

    def build_on(
        client_data: tff.simulation.datasets.ClientData,
    ) -> Callable[..., PerClientEvaluation]:
        sizes = dict(zip(client_data.client_ids, num_examples_per_client(client_data)))
        return build(
            model,
            pooled_examples(client_data, client_ids),
            [sizes[client_id] for client_id in client_ids],
            correct_fn=task.correct_fn,
            metrics=[make for make, _ in task.metrics] or None,
        )

    train, test = build_on(task.dataset.train), build_on(task.dataset.test)
    smaller_is_better = {make().name: is_smaller for make, is_smaller in task.metrics}
    return lambda *weights: TaskEvaluation(
        client_ids, functools.partial(train, *weights), test(*weights), smaller_is_better
    )


def pooled_examples(
    client_data: tff.simulation.datasets.ClientData, client_ids: Sequence[str]
) -> Any:
    """Returns the clients' examples by field, one client after the other."""
    if isinstance(client_data, ArrayClientData) and client_ids == client_data.client_ids:
        return client_data.arrays
    per_client = [client_examples(client_data, client_id) for client_id in client_ids]
    return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *per_client)
