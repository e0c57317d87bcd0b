"""Federated learning in NumPy: a participant that trains, and rounds that follow each other."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from reference import softmax_regression
from reference.problem import Examples
from tff_weights import LocalTraining
from tff_weights.client_work import dense_examples


class Trained(NamedTuple):
    """What local training leaves behind."""

    weights: np.ndarray
    gradients: list[np.ndarray]  # Of the mini-batches, without proximal term and correction.
    points: list[np.ndarray]  # The weights before each step, w_t first.
    momentum: np.ndarray  # The last one, over the rate.

    @property
    def num_steps(self):
        return len(self.gradients)


@dataclasses.dataclass(frozen=True)
class Participant:
    """One client in one round."""

    index: int
    examples: Examples
    round_number: int
    local_training: LocalTraining

    @property
    def num_examples(self):
        return len(self.examples.y)

    @property
    def learning_rate(self):
        local = self.local_training
        return local.learning_rate * local.learning_rate_decay**self.round_number

    @property
    def num_steps(self):
        """What the local training says, and the client's extra step where it has one."""
        extra = self.local_training.extra_step_from or ()
        return self._steps_of_each_round + (
            self.index < len(extra) and self.round_number >= extra[self.index]
        )

    @property
    def _steps_of_each_round(self):
        """A fraction of an epoch is `⌊E n / B⌋` steps, at least 1."""
        local = self.local_training
        if local.epochs is None:
            return local.steps
        if local.epochs == int(local.epochs):
            return int(local.epochs) * -(-self.num_examples // local.batch_size)
        return max(math.floor(local.epochs * self.num_examples / local.batch_size + 1e-6), 1)

    def loss(self, weights):
        return softmax_regression.loss(weights, self.examples)

    def losses(self, weights):
        return softmax_regression.losses(weights, self.examples)

    def batch_loss_sum(self, weights):
        """Over one epoch's batches in the data set's order, of their mean losses."""
        size = self.local_training.batch_size
        batches = [slice(start, start + size) for start in range(0, self.num_examples, size)]
        return sum(softmax_regression.loss(weights, self._batch(rows)) for rows in batches)

    def _batch(self, rows):
        return Examples(self.examples.x[rows], self.examples.y[rows])

    def accuracy(self, weights):
        return softmax_regression.accuracy(weights, self.examples)

    def gradient(self, weights):
        return softmax_regression.gradient(weights, self.examples)

    def train(self, weights, *, start=None, steps=None, correction=0.0, momentum=0.0, weigh=None):
        """Runs mini-batch SGD from `w_t`; the correction, as SCAFFOLD's, is added to gradients.

        It begins with a momentum, which is in units of gradients, and may start elsewhere than at
        `w_t`, to which the proximal term pulls. `weigh` gives the weights of a batch's examples in
        its gradient, from their losses; by default all are `1 / n`.
        """
        local = self.local_training
        w = weights if start is None else start
        m = self.learning_rate * momentum + np.zeros_like(weights)
        gradients, points = [], []
        for batch in self._batches(self.num_steps if steps is None else steps):
            each = None if weigh is None else weigh(softmax_regression.losses(w, batch))
            g = softmax_regression.gradient(w, batch, each)
            gradients.append(g)
            points.append(w)
            m = local.momentum * m + self.learning_rate * (
                g + local.proximal_strength * (w - weights) + correction
            )
            w = w - m
        return Trained(w, gradients, points, m / self.learning_rate)

    def batch_gradient(self, weights, step):
        """The gradient of the mini-batch that a step of this round visits."""
        return softmax_regression.gradient(weights, self._batches(step + 1)[step])

    def _batches(self, steps):
        local = self.local_training
        # A fresh batch begins an epoch that is not finished.
        steps_per_epoch = 1 if local.fresh_batches else -(-self.num_examples // local.batch_size)
        orders = dense_examples.epoch_orders(
            num_examples=tf.constant(self.num_examples),
            num_epochs=tf.constant(-(-steps // steps_per_epoch)),
            num_visited=tf.constant(self.num_examples),
            shuffle=local.shuffle,
            seed=local.shuffle_seed,
            round_number=tf.constant(self.round_number),
            client_index=tf.constant(self.index, tf.int64),
        ).numpy()
        batches = []
        for step in range(steps):
            epoch, batch = divmod(step, steps_per_epoch)
            rows = orders[epoch][batch * local.batch_size : (batch + 1) * local.batch_size]
            batches.append(self._batch(rows))
        return batches


def simulate(algorithm, *, initial_weights, clients, cohorts, local_training):
    """Returns the weights after each round; an algorithm is one of `reference.algorithms`."""
    weights, memory, trajectory = initial_weights, {}, []
    for round_number, cohort in enumerate(cohorts):
        participants = [
            Participant(index, clients[index], round_number, local_training) for index in cohort
        ]
        weights = algorithm(weights, participants, memory)
        trajectory.append(weights)
    return trajectory
