"""The same rounds on TFF and in NumPy: one federation of a few clients, and both ways to run it."""

from reference.problem import client_data, initial_vector, make_clients, to_vector
from reference.simulation import simulate
from tff_weights import LocalTraining

# Divisible by the batch size and not, smaller than a batch, and larger than a padded size.
CLIENTS = make_clients([7, 40, 25, 64, 90, 13], seed=11)
COHORTS = ([0, 1, 2], [3, 4, 5, 1], [2, 0], [5, 3, 1], [4, 0, 2, 3])

LOCAL_TRAINING = LocalTraining(
    learning_rate=0.1,
    batch_size=10,
    epochs=2,
    momentum=0.5,
    learning_rate_decay=0.9,
    shuffle_seed=17,
)


def cohort_data(cohort):
    """The cohort's data as the library's processes take them."""
    return [client_data(index, CLIENTS[index]) for index in cohort]


def run_rounds(process, cohorts=COHORTS):
    """Runs a learning process: the weights and the metrics of each round, and the last state."""
    state, trajectory, metrics = process.initialize(), [], []
    for cohort in cohorts:
        output = process.next(state, cohort_data(cohort))
        state = output.state
        trajectory.append(to_vector(process.get_model_weights(state).trainable))
        metrics.append(output.metrics)
    return trajectory, metrics, state


def simulate_rounds(algorithm, local_training=LOCAL_TRAINING, cohorts=COHORTS):
    """The weights after each round, by NumPy."""
    return simulate(
        algorithm,
        initial_weights=initial_vector(),
        clients=CLIENTS,
        cohorts=cohorts,
        local_training=local_training,
    )
