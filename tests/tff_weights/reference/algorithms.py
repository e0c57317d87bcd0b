"""One round of each algorithm: `(weights, cohort, memory, parameters) → weights`.

The cohort is a list of `Participant`, the memory a dictionary that is kept from round to round.
"""

import dataclasses
import math

import numpy as np

from reference import weights as reference_weights


def fed_avg(w, cohort, memory, *, weighting="num_examples"):
    return _shares(cohort, weighting) @ np.stack([client.train(w).weights for client in cohort])


def q_fed_avg(w, cohort, memory, *, q):
    """q-FFL, Algorithm 2."""
    numerator, denominator = np.zeros_like(w), 0.0
    for client in cohort:
        lipschitz = 1 / client.learning_rate
        loss = client.loss(w) + 1e-10
        delta = lipschitz * (w - client.train(w).weights)
        numerator += loss**q * delta
        denominator += q * loss ** (q - 1) * (delta @ delta) + lipschitz * loss**q
    return w - numerator / denominator


def fed_fa(w, cohort, memory, *, alpha, accuracy_at="after", carry_momentum=False, **server):
    """FedFa, Algorithm 2."""
    participations = memory.setdefault("participations", {})
    for client in cohort:
        participations[client.index] = participations.get(client.index, 0) + 1
    momenta = memory.setdefault("momenta", {}) if carry_momentum else {}
    ended = [client.train(w, momentum=momenta.get(client.index, 0.0)) for client in cohort]
    momenta.update((client.index, each.momentum) for client, each in zip(cohort, ended))
    trained = [each.weights for each in ended]
    accuracies = [
        client.accuracy(w_i if accuracy_at == "after" else w)
        for client, w_i in zip(cohort, trained)
    ]
    weights = reference_weights.fed_fa(
        accuracies, [participations[client.index] for client in cohort], alpha=alpha, beta=1 - alpha
    )
    return _server_momentum(w, weights @ np.stack(trained), memory, **server)


def fed_fa_mo(w, cohort, memory, *, weighting="uniform", **server):
    """FedFa's Table 3: both momenta, without FedFa's weights."""
    return _server_momentum(w, fed_avg(w, cohort, memory, weighting=weighting), memory, **server)


def fed_adp(w, cohort, memory, *, alpha=5.0):
    """FedAdp, Algorithm 1."""
    updates = np.stack([client.train(w).weights - w for client in cohort])
    mean = _shares(cohort, "num_examples") @ updates
    angles, participations = memory.setdefault("angles", {}), memory.setdefault("counts", {})
    smoothed = []
    for client, update in zip(cohort, updates):
        theta = reference_weights.angle(mean, update)
        participations[client.index] = participations.get(client.index, 0) + 1
        if client.index in angles:  # eq. 9
            theta += (participations[client.index] - 1) * angles[client.index]
            theta /= participations[client.index]
        angles[client.index] = theta
        smoothed.append(theta)
    counts = [client.num_examples for client in cohort]
    return w + reference_weights.fed_adp(smoothed, counts, alpha=alpha) @ updates


def wei_avg(w, cohort, memory, *, by="projection", exponent=1.0, multiply_by_num_examples=False):
    """WeiAvg, Algorithms 1 and 2."""
    updates = np.stack([client.train(w).weights - w for client in cohort])
    if by == "entropy":
        diversities = [reference_weights.entropy(client.examples.y) for client in cohort]
    else:
        mean = updates.mean(axis=0)
        diversities = [reference_weights.projection(update, mean) for update in updates]
    counts = [client.num_examples for client in cohort] if multiply_by_num_examples else None
    return w + reference_weights.wei_avg(diversities, exponent=exponent, counts=counts) @ updates


def fed_cav(w, cohort, memory, *, loss_reduction="mean", clip="mean", audit=False, attack=None):
    """FedCav; the attack is `with_model_replacement`'s arguments without the weighting."""
    losses = [
        client.loss(w) if loss_reduction == "mean" else client.batch_loss_sum(w)
        for client in cohort
    ]
    previous, memory["previous"] = memory.get("previous", w), w
    if audit:
        largest = memory.get("largest_loss", math.inf)
        if 2 * sum(loss > largest for loss in losses) > len(cohort):
            memory["previous"] = previous
            return previous
        memory["largest_loss"] = max(losses)
    weights = reference_weights.fed_cav(losses, clip=clip)
    updates = []
    for client, weight in zip(cohort, weights):
        if attack and (client.round_number, client.index) == (
            attack["attack_round"],
            attack["attacker_index"],
        ):
            updates.append((attack["target_scale"] * w - w) / weight)
        else:
            updates.append(client.train(w).weights - w)
    return w + weights @ np.stack(updates)


def fed_nova(w, cohort, memory):
    """FedNova: `w − τ_eff η Σ p_i d_i`, `d_i = (w − w_i) / (η ‖a_i‖₁)`."""
    step, tau_eff = np.zeros_like(w), 0.0
    for client, share in zip(cohort, _shares(cohort, "num_examples")):
        trained = client.train(w)
        local, eta = client.local_training, client.learning_rate
        norm = reference_weights.norm_of_a(
            trained.num_steps, momentum=local.momentum, decay=eta * local.proximal_strength
        )
        step += share * (w - trained.weights) / norm
        tau_eff += share * (trained.num_steps if local.proximal_strength else norm)
    return w - tau_eff * step


def term(w, cohort, memory, *, tilt, example_tilt=0.0):
    """TERM over clients, and over examples, whose softmax of `τ l` weighs their gradients."""
    losses, weigh = [client.loss(w) for client in cohort], None
    if example_tilt:
        powers = [np.exp(example_tilt * client.losses(w)) for client in cohort]
        losses = [math.log(of_client.mean()) / example_tilt for of_client in powers]

        def weigh(losses):
            return reference_weights.term(losses, np.ones(len(losses)), tilt=example_tilt)

    weights = reference_weights.term(losses, [c.num_examples for c in cohort], tilt=tilt)
    return weights @ np.stack([client.train(w, weigh=weigh).weights for client in cohort])


def fed_eba(w, cohort, memory, *, temperature, prior="uniform", loss_at="after"):
    """FedEBA+ with α = 0."""
    trained = [client.train(w).weights for client in cohort]
    losses = [client.loss(w_i if loss_at == "after" else w) for client, w_i in zip(cohort, trained)]
    counts = [client.num_examples for client in cohort] if prior == "num_examples" else None
    weights = reference_weights.fed_eba(losses, temperature=temperature, counts=counts)
    return weights @ np.stack(trained)


def afl(w, cohort, memory, *, num_clients, mixture_rate):
    """AFL, Algorithm 1, where some take part."""
    mixture = memory.setdefault("mixture", np.full(num_clients, 1 / num_clients))
    own = np.array([mixture[client.index] for client in cohort])
    ascended = mixture.copy()
    for client in cohort:
        ascended[client.index] += mixture_rate * client.loss(w)
    memory["mixture"] = reference_weights.nearest_mixture(ascended)
    return _mean(w, cohort, own / own.sum() if own.sum() else np.ones(len(own)) / len(own))


def drfa(w, cohort, memory, *, trained, evaluated, place, mixture_rate):
    """DRFA, Algorithm 1, once it is drawn who trains and who is evaluated; `cohort` is everyone."""
    ended = [cohort[index].train(w) for index in trained]
    snapshots = [[*e.points, e.weights][1 + int(place * e.num_steps)] for e in ended]
    v = np.zeros(len(cohort))
    for index in evaluated:
        v[index] = len(cohort) / len(evaluated) * cohort[index].loss(np.mean(snapshots, axis=0))
    mixture = memory.get("mixture", np.full(len(cohort), 1 / len(cohort)))
    tau = np.mean([e.num_steps for e in ended])
    memory["mixture"] = reference_weights.nearest_mixture(mixture + tau * mixture_rate * v)
    return np.mean([e.weights for e in ended], axis=0)


def aagg_ff_s(w, cohort, memory, *, num_clients):
    """AAggFF, Algorithm 2; every regret is kept and added up anew."""
    p = memory.setdefault("decision", np.full(num_clients, 1 / num_clients))
    r = np.zeros(num_clients)
    losses = [client.loss(w) for client in cohort]
    for client, response in zip(cohort, reference_weights.weibull_responses(losses)):
        r[client.index] = response / num_clients
    past = memory.setdefault("past", [])
    past.append((-r / (1 + p @ r), p))

    def regret(x):
        return 2 * x @ x + sum(g @ x + num_clients / 8 * (g @ (x - q)) ** 2 for g, q in past)

    zeros = np.zeros(num_clients)
    new = reference_weights.least_over_mixtures(regret, lower=zeros, upper=zeros + 1)
    memory["decision"] = new
    own = np.array([new[client.index] for client in cohort])
    return _mean(w, cohort, own / own.sum())


def aagg_ff_d(w, cohort, memory, *, num_clients):
    """AAggFF, Algorithm 3, one client after the other."""
    p = memory.setdefault("decision", np.full(num_clients, 1 / num_clients))
    share = len(cohort) / num_clients
    losses = [client.loss(w) for client in cohort]
    responses = [share * r for r in reference_weights.weibull_responses(losses)]
    mean = sum(responses) / len(responses)
    estimate = np.full(num_clients, mean)
    for client, response in zip(cohort, responses):
        estimate[client.index] = (1 - 1 / share) * mean + response / share
    gradient = -estimate / (1 + mean) + mean * (p @ (estimate - mean)) / (1 + mean) ** 2
    memory["gradients"] = memory.get("gradients", 0.0) + gradient
    memory["round"] = memory.get("round", 0) + 1
    rate = math.sqrt(math.log(num_clients)) / ((2 + share) * math.sqrt(memory["round"] + 1))
    scores = np.exp(-rate * memory["gradients"])
    memory["decision"] = scores / scores.sum()
    own = np.array([scores[client.index] for client in cohort])
    return _mean(w, cohort, own / own.sum())


def fed_disco(w, cohort, memory, **parameters):
    """FedDisco; the labels are of three classes."""
    counts, labels = zip(*((client.num_examples, client.examples.y) for client in cohort))
    return _mean(w, cohort, reference_weights.fed_disco(counts, labels, 3, **parameters))


def fed_mgda(w, cohort, memory, *, epsilon, step_size):
    """FedMGDA+, Algorithm 1."""
    updates = [client.train(w).weights - w for client in cohort]
    prior = _shares(cohort, "num_examples")
    return w + step_size * reference_weights.fed_mgda(updates, prior, epsilon=epsilon)


def fed_fv(w, cohort, memory, *, alpha):
    """FedFV with τ = 0."""
    updates = [client.train(w).weights - w for client in cohort]
    return w + reference_weights.fed_fv(updates, [c.loss(w) for c in cohort], alpha=alpha)


def prop_fair(w, cohort, memory, *, baseline, epsilon):
    """PropFair: a batch's gradient times the slope of `−log(M − ℓ)`, `1 / ε` at most."""

    def weigh(losses):
        return np.full(len(losses), 1 / len(losses) / max(baseline - losses.mean(), epsilon))

    trained = [client.train(w, weigh=weigh).weights for client in cohort]
    return _shares(cohort, "num_examples") @ np.stack(trained)


def scaffold(w, cohort, memory, *, num_clients, server_learning_rate=1.0):
    """SCAFFOLD, Algorithm 1 with option II."""
    c = memory.setdefault("c", np.zeros_like(w))
    own = memory.setdefault("c_i", {})
    updates, changes = [], []
    for client in cohort:
        c_i = own.get(client.index, np.zeros_like(w))
        trained = client.train(w, correction=c - c_i)
        new = c_i - c + (w - trained.weights) / (trained.num_steps * client.learning_rate)
        updates.append(trained.weights - w)
        changes.append(new - c_i)
        own[client.index] = new
    memory["c"] = c + len(cohort) / num_clients * np.mean(changes, axis=0)
    return w + server_learning_rate * np.mean(updates, axis=0)


def ditto(w, cohort, memory, *, personal_strength, weighting="num_examples"):
    """Ditto, Algorithm 1; the personal models are `memory["own"]`."""
    own = memory.setdefault("own", {})
    for client in cohort:
        pulled = dataclasses.replace(client.local_training, proximal_strength=personal_strength)
        pulled = dataclasses.replace(client, local_training=pulled)
        own[client.index] = pulled.train(w, start=own.get(client.index, w)).weights
    return fed_avg(w, cohort, memory, weighting=weighting)


def fed_veca(
    w,
    cohort,
    memory,
    *,
    alpha=0.95,
    most_steps=50,
    reject_worse=True,
    acceptance_loss="local_models",
    beta_gradient="full",
):
    """FedVeca, Algorithms 1 and 2; what each round publishes is appended to `memory["log"]`."""
    eta, shares = cohort[0].learning_rate, _shares(cohort, "num_examples")
    tau = memory.setdefault("tau", {})
    last_gradient = memory.get("gradient")
    gradients, means, losses, log = [], [], [], {}
    for client in cohort:
        trained = client.train(w, steps=tau.setdefault(client.index, client.local_training.steps))
        full, g = client.gradient(w), trained.gradients
        beta = max(
            np.linalg.norm(
                (full if beta_gradient == "full" else client.batch_gradient(w, s)) - g[s]
            )
            / np.linalg.norm(w - trained.points[s])
            for s in range(1, len(g))
        )
        delta = 0.0
        if last_gradient is not None:
            delta = max(
                np.linalg.norm(np.sum(g[: s + 1], axis=0)) ** 2
                / ((s + 1) * np.linalg.norm(last_gradient) ** 2)
                for s in range(1, len(g))
            )
        log[client.index] = {
            "num_steps": len(g),
            "beta": beta,
            "delta": delta,
            "a": eta * beta**2 * delta,
        }
        gradients.append(full)
        means.append(np.mean(g, axis=0))
        losses.append(client.loss(trained.weights))
    tau_k = shares @ [log[client.index]["num_steps"] for client in cohort]
    smoothness = memory.get("smoothness", 0.0)
    new = w - eta * tau_k * (shares @ np.stack(means))  # eq. 6
    if acceptance_loss == "averaged_model":
        losses = [client.loss(new) for client in cohort]
    loss = float(shares @ losses)  # eq. 4, where they are of local models
    is_accepted = not reject_worse or loss <= memory.get("smallest_loss", math.inf)
    if is_accepted:
        memory["smallest_loss"] = loss
    # L uses this round's gradient from the next round on.
    gradient = shares @ np.stack(gradients)
    zeros = np.zeros_like(w)
    before = zeros if last_gradient is None else last_gradient
    movement = np.linalg.norm(w - memory.get("w", zeros))
    if movement:
        memory["smoothness"] = max(smoothness, np.linalg.norm(gradient - before) / movement)
    memory.update(gradient=gradient, w=w)
    if last_gradient is not None:
        least = min(entry["a"] for entry in log.values())
        for index, entry in log.items():  # eq. 16; a least A has exactly 1 / (1 − α).
            wanted = math.floor(entry["a"] / (entry["a"] - alpha * least) + 1e-4)
            tau[index] = min(max(wanted, 2), most_steps)
    memory.setdefault("log", []).append(
        {
            "clients": log,
            "smoothness": smoothness,
            "eta_tau_smoothness": eta * tau_k * smoothness,
            "estimated_loss": loss,
            "accepted": is_accepted,
        }
    )
    return new if is_accepted else w


def _server_momentum(w, aggregate, memory, *, momentum, learning_rate=1.0, every_rounds=1):
    """FedFa, eq. 3–7."""
    memory["round"] = memory.get("round", 0) + 1
    anchor = memory.setdefault("anchor", w)
    if memory["round"] % every_rounds:
        return aggregate
    m = momentum * memory.get("m", 0.0) + learning_rate * (anchor - aggregate)
    memory["m"] = m
    memory["anchor"] = anchor - m
    return anchor - m


def _mean(w, cohort, weights):
    return weights @ np.stack([client.train(w).weights for client in cohort])


def _shares(cohort, weighting):
    counts = np.array(
        [client.num_examples if weighting == "num_examples" else 1 for client in cohort], float
    )
    return counts / counts.sum()
