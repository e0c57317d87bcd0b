"""The papers' weights in NumPy, one client after the other, as the equations stand there."""

import math

import numpy as np
import scipy.optimize

C = 1e-10


def fed_fa(accuracies, frequencies, *, alpha, beta):
    """FedFa, eq. 9–15."""

    def information(probability):
        return -math.log2(probability if probability > 0 else probability + C)

    def shares(values):
        total = sum(values)
        if total == 0:
            return [1 / len(values)] * len(values)
        return [value / total for value in values]

    total_accuracy, total_frequency = sum(accuracies), sum(frequencies)
    a = [acc / total_accuracy if total_accuracy else 0.0 for acc in accuracies]  # eq. 9
    phi = [f / total_frequency for f in frequencies]  # eq. 10
    a_inf = shares([information(a_i) for a_i in a])  # eq. 11, 13
    phi_inf = shares([information(1 - phi_i) for phi_i in phi])  # eq. 12, 14
    return np.array([alpha * x + beta * y for x, y in zip(a_inf, phi_inf)])  # eq. 15


def q_fair(losses, squared_norms, *, q, learning_rate):
    """What q-FedAvg's step makes of each `w_t − w_i`: `L F_i^q / Σ h_j`."""
    lipschitz = 1 / learning_rate
    h = 0.0
    for loss, squared_norm in zip(losses, squared_norms):
        of_delta = lipschitz**2 * squared_norm  # ‖Δw_i‖², Δw_i = L (w_t − w_i)
        h += q * (loss + C) ** (q - 1) * of_delta + lipschitz * (loss + C) ** q
    return np.array([lipschitz * (loss + C) ** q / h for loss in losses])


def fed_adp(smoothed_angles, counts, *, alpha=5.0):
    """FedAdp, eq. 10 and 11."""
    mapped = [alpha * (1 - math.exp(-math.exp(-alpha * (x - 1)))) for x in smoothed_angles]
    scores = [n * math.exp(f) for n, f in zip(counts, mapped)]
    return np.array([score / sum(scores) for score in scores])


def angle(first, second):
    """FedAdp, eq. 8, in radians; π/2 where a vector has no direction."""
    norms = np.linalg.norm(first) * np.linalg.norm(second)
    return math.acos(np.clip(first @ second / norms, -1, 1)) if norms else math.pi / 2


def wei_avg(diversities, *, exponent, shift=0.1, is_constant=False, counts=None):
    """WeiAvg, Algorithms 1 and 2, with the small shift to positive values."""
    least, most = min(diversities), max(diversities)
    smallest = shift if is_constant else shift * (most - least)
    z = [v - least + smallest if most > least else 1.0 for v in diversities]
    # Weights do not change with the scale of z, and powers of z / z_max stay in range.
    scores = [(z_i / max(z)) ** exponent for z_i in z]
    if counts is not None:
        scores = [score * n for score, n in zip(scores, counts)]
    return np.array([score / sum(scores) for score in scores])


def projection(update, mean_update):
    """WeiAvg, eq. 3; 0 where the mean has no direction."""
    norm = np.linalg.norm(mean_update)
    return float(update @ mean_update / norm) if norm else 0.0


def entropy(labels):
    """Of the labels' shares, in nats."""
    _, counts = np.unique(labels, return_counts=True)
    return float(sum(-n / len(labels) * math.log(n / len(labels)) for n in counts))


def fed_cav(losses, *, clip="mean"):
    """FedCav: `softmax(min(f_i, mean f))`."""
    mean = sum(losses) / len(losses)
    clipped = [min(f, mean) if clip == "mean" else f for f in losses]
    exponentials = [math.exp(f - max(clipped)) for f in clipped]
    return np.array([x / sum(exponentials) for x in exponentials])


def norm_of_a(steps, *, momentum=0.0, decay=0.0):
    """FedNova's `‖a_i‖₁` by counting how often each step's gradient is in the final update.

    It is in every later step's momentum, each time less by `ρ`, and every later step shrinks what
    it has moved by the decay `ημ`.
    """
    a = []
    for later_steps in reversed(range(steps)):
        a.append(sum([momentum**k for k in range(later_steps + 1)]) * (1 - decay) ** later_steps)
    return sum(a)


def fed_nova(counts, steps, *, momentum=0.0, proximal_strength=0.0, learning_rate=1.0):
    """FedNova: `τ_eff p_i / ‖a_i‖₁`, the factor of `w_i − w_t`."""
    shares = [n / sum(counts) for n in counts]
    norms = [
        norm_of_a(tau, momentum=momentum, decay=learning_rate * proximal_strength) for tau in steps
    ]
    tau_eff = sum(p * tau for p, tau in zip(shares, steps if proximal_strength else norms))
    return np.array([tau_eff * p / norm if norm else 0.0 for p, norm in zip(shares, norms)])


def term(losses, counts, *, tilt):
    """TERM: `n_i e^{t F_i}`, normalised."""
    scores = [n * math.exp(tilt * (f - max(losses))) for f, n in zip(losses, counts)]
    return np.array([score / sum(scores) for score in scores])


def fed_eba(losses, *, temperature, counts=None):
    """FedEBA+, eq. 3, with sizes as the prior where they are given."""
    counts = [1] * len(losses) if counts is None else counts
    return term(losses, counts, tilt=1 / temperature)


def nearest_mixture(values):
    """The point of the simplex that is nearest, by halving the interval of what is taken off."""
    least, most = min(values) - 1, max(values)
    for _ in range(200):
        middle = (least + most) / 2
        if sum(max(v - middle, 0) for v in values) > 1:
            least = middle
        else:
            most = middle
    return np.array([max(v - most, 0) for v in values])


def weibull_responses(losses):
    """AAggFF, eq. 8, with Weibull's distribution of shape 2 and scale 1."""
    mean = sum(losses) / len(losses)
    return [1 - math.exp(-((f / mean) ** 2)) for f in losses]


def least_over_mixtures(value, *, lower, upper):
    """The mixture within bounds that has the least value, by a solver of SciPy's."""
    start = np.clip(np.full(len(lower), 1 / len(lower)), lower, upper)
    found = scipy.optimize.minimize(
        value,
        start,
        method="SLSQP",
        bounds=list(zip(lower, upper)),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return found.x


def fed_disco(counts, labels, num_classes, *, discount, offset, metric="kl"):
    """FedDisco; divergences relative to their sum."""
    discrepancies = []
    for of_client in labels:
        shares = np.bincount(of_client, minlength=num_classes) / len(of_client)
        if metric == "l2":
            discrepancies.append(np.linalg.norm(shares - 1 / num_classes))
        else:
            discrepancies.append(sum(d * math.log(d * num_classes) for d in shares if d > 0))
    if metric == "kl":
        discrepancies = [d / sum(discrepancies) for d in discrepancies]
    shares = [n / sum(counts) for n in counts]
    scores = [max(p - discount * d + offset, 0) for p, d in zip(shares, discrepancies)]
    return np.array([score / sum(scores) for score in scores])


def fed_mgda(updates, prior, *, epsilon):
    """FedMGDA+'s direction: the shortest mean of normalised updates near a prior."""
    directions = np.stack([update / np.linalg.norm(update) for update in updates])
    prior = np.asarray(prior)
    mixture = least_over_mixtures(
        lambda x: 0.5 * np.sum((x @ directions) ** 2),
        lower=np.maximum(prior - epsilon, 0),
        upper=np.minimum(prior + epsilon, 1),
    )
    return mixture @ directions


def fed_fv(updates, losses, *, alpha):
    """FedFV's step, on the updates themselves."""
    order = sorted(range(len(losses)), key=lambda i: losses[i])
    kept = order[math.ceil((len(order) - 1) * (1 - alpha) - 1e-9) :] if alpha > 0 else []
    projected = [update.copy() for update in updates]
    for i in range(len(updates)):
        for j in order:
            if i not in kept and j != i and projected[i] @ updates[j] < 0:
                projected[i] -= projected[i] @ updates[j] / (updates[j] @ updates[j]) * updates[j]
    mean, plain = np.mean(projected, axis=0), np.mean(updates, axis=0)
    length = np.linalg.norm(mean)
    return mean / length * np.linalg.norm(plain) if length else mean
