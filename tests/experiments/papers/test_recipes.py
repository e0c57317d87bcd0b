"""The papers' values, cell by cell, typed in from the papers and not from the recipes.

A cell is: data set, model (None where there is but one), algorithm, field, value; the comment above
says where in the paper it stands. `Decision` marks what no paper says.
"""

from __future__ import annotations

import itertools

import pytest

from experiments.papers import catalogue
from experiments.runs.configure import configure
from experiments.runs.learning_process import build_process
from leaf_data import registry
from leaf_data.tasks import load_task

_BASELINES = ("fed_avg", "fed_prox", "q_fed_avg", "scaffold", "fed_nova")
_FED_FA = ("fed_fa", "fed_fa_mo")


def _cells(datasets, models, algorithms, **fields):
    """One model may be given for all; None is the data set's only one."""
    models = models if isinstance(models, tuple) else (models,)
    return [
        (*run, field, value)
        for run in itertools.product(datasets, models, algorithms)
        for field, value in fields.items()
    ]


_SYNTHETIC = ("synthetic_iid", "synthetic_0_0", "synthetic_0.5_0.5", "synthetic_1_1")
_REAL = ("mnist", "femnist", "sent140", "shakespeare")

FED_FA = [
    # 4.1: "we fix the number of selected devices per round to 10"; Decision: batches of 10.
    *_cells(
        (*_SYNTHETIC, *_REAL),
        None,
        (*_BASELINES, *_FED_FA),
        clients_per_round=10,
        batch_size=10,
        steps=None,
        learning_rate_decay=1.0,
    ),
    # Decision: 20 epochs. 4.1: "The parameter E of FedNova is chosen to be 5".
    *_cells(
        (*_SYNTHETIC, *_REAL),
        None,
        ("fed_avg", "fed_prox", "q_fed_avg", "scaffold", *_FED_FA),
        epochs=20,
    ),
    *_cells((*_SYNTHETIC, *_REAL), None, ("fed_nova",), epochs=5),
    # 4.1: "for a fair comparison with all synthetic data experiments in FedAvg, FedProx, q-Fair,
    # SCAFFOLD and FedNova, the learning rate is 0.01"; "for MNIST, FEMNIST, Sent140 and Shakespeare
    # ... 0.03, 0.003, 0.3, and 0.8".
    *_cells(_SYNTHETIC, None, _BASELINES, learning_rate=0.01, client_momentum=0.0),
    *_cells(("mnist",), None, _BASELINES, learning_rate=0.03, client_momentum=0.0),
    *_cells(("femnist",), None, _BASELINES, learning_rate=0.003, client_momentum=0.0),
    *_cells(("sent140",), None, _BASELINES, learning_rate=0.3, client_momentum=0.0),
    *_cells(("shakespeare",), None, _BASELINES, learning_rate=0.8, client_momentum=0.0),
    # 4.1: "For all synthetic data experiments in FedFa, the learning rate is 0.0001"; "For MNIST,
    # FEMNIST, Sent140 and Shakespeare in FedFa ... 0.0003, 0.0003, 0.0001, 0.08".
    *_cells(_SYNTHETIC, None, _FED_FA, learning_rate=0.0001),
    *_cells(("mnist", "femnist"), None, _FED_FA, learning_rate=0.0003),
    *_cells(("sent140",), None, _FED_FA, learning_rate=0.0001),
    *_cells(("shakespeare",), None, _FED_FA, learning_rate=0.08),
    # 4.2 and the caption of figure 2: the left two 0.9 (client) and 0.5 (server), the right two 0.5
    # and 0.5; the caption of figure 3: 0.5 and 0.5, Sent140 0.1 and 0.5, FEMNIST 0.2 and 0.5.
    *_cells(_SYNTHETIC[:2], None, _FED_FA, client_momentum=0.9, server_momentum=0.5),
    *_cells(_SYNTHETIC[2:], None, _FED_FA, client_momentum=0.5, server_momentum=0.5),
    *_cells(("mnist", "shakespeare"), None, _FED_FA, client_momentum=0.5, server_momentum=0.5),
    *_cells(("sent140",), None, _FED_FA, client_momentum=0.1, server_momentum=0.5),
    *_cells(("femnist",), None, _FED_FA, client_momentum=0.2, server_momentum=0.5),
    # 4.1: "the parameter q of q-Fair is set to 1".
    *_cells((*_SYNTHETIC, *_REAL), None, ("q_fed_avg",), q=1.0),
    # Decision: FedProx's own best values.
    *_cells((*_SYNTHETIC, "mnist", "femnist"), None, ("fed_prox",), proximal_strength=1.0),
    *_cells(("sent140",), None, ("fed_prox",), proximal_strength=0.01),
    *_cells(("shakespeare",), None, ("fed_prox",), proximal_strength=0.001),
    # 3.3: b can be set to 1; FedProx's preparation of MNIST, LEAF's JSON of FEMNIST.
    *_cells((*_SYNTHETIC, *_REAL), None, _FED_FA, momentum_every_rounds=1),
    *_cells(("mnist",), None, (*_BASELINES, *_FED_FA), pixels="standardized"),
    *_cells(("femnist",), None, (*_BASELINES, *_FED_FA), ink="dark"),
    # 4.1: 80 % for training.
    *_cells((*_SYNTHETIC, *_REAL), None, (*_BASELINES, *_FED_FA), train_fraction=0.8),
]

_X_CLASS = ("mnist_x_class", "fashion_mnist_x_class")
_FED_ADP_CNNS = ("fed_adp_cnn", "fed_adp_cnn_unpadded")
_FED_ADP = (*_X_CLASS, "mnist_mixed_classes", "mnist_general_case_1", "mnist_general_case_2")

FED_ADP = [
    # V: "|S| = 10, D_i = 600, B = 50 for MLR and B = 32 for CNN, E = 1, T = 300, η = 0.01, decay
    # rate = 0.995, the constant in non-linear mapping function α = 5".
    *_cells(_FED_ADP, _FED_ADP_CNNS, ("fed_avg", "fed_adp"), batch_size=32),
    *_cells(_FED_ADP, "image_logistic_regression", ("fed_avg", "fed_adp"), batch_size=50),
    *_cells(
        _FED_ADP,
        (*_FED_ADP_CNNS, "image_logistic_regression"),
        ("fed_avg", "fed_adp"),
        clients_per_round=10,
        samples_per_client=600,
        epochs=1,
        learning_rate=0.01,
        learning_rate_decay=0.995,
        client_momentum=0.0,
    ),
    *_cells(_FED_ADP, None, ("fed_adp",), alpha=5.0),
]

_MNIST_CASES = ("mnist_case_1", "mnist_case_2", "mnist_case_3")
_CIFAR_CASES = ("cifar10_case_1", "cifar10_case_2", "cifar10_case_3")
_FED_VECAS = ("fed_avg", "fed_nova", "fed_prox", "scaffold", "centralized_sgd", "fed_veca")

_COMMON = {
    "learning_rate": 0.01,
    "learning_rate_decay": 1.0,
    "client_momentum": 0.0,
    "num_clients": 5,
    "clients_per_round": 5,
    "batch_size": 32,
    "epochs": None,
}
FED_VECA = [
    # V-A4: "the learning rate fixed at η = 0.01"; V-A: "a networked prototype system with five
    # clients", and all take part. Decision: batches of 32.
    *_cells(_MNIST_CASES, ("squared_svm", "fed_veca_cnn"), _FED_VECAS, **_COMMON),
    *_cells(_CIFAR_CASES, "fed_veca_cnn", _FED_VECAS, **_COMMON),
    # V-A4: "max τ = 50", "α_k = 0.95"; Algorithm 1: τ = 2 at first.
    *_cells((*_MNIST_CASES, *_CIFAR_CASES), None, ("fed_veca",), steps=2, alpha=0.95),
    *_cells((*_MNIST_CASES, *_CIFAR_CASES), None, ("fed_veca",), most_steps=50),
    # V-A1 takes the baselines' steps from FedVeca's run; Decision: the most it may take without.
    *_cells(_MNIST_CASES, None, ("fed_avg", "fed_nova", "fed_prox", "scaffold"), steps=50),
    *_cells(_MNIST_CASES, None, ("centralized_sgd",), steps=250),
]

_ENTROPY = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")
_WEI_AVGS = ("fed_avg", "fed_prox", "wei_avg")

WEI_AVG = [
    # Table I: N = 100, n = 10, and M, B and E by data set.
    *_cells(_ENTROPY, None, _WEI_AVGS, num_clients=100, clients_per_round=10),
    *_cells(("mnist_entropy",), None, _WEI_AVGS, num_samples=3000, batch_size=64, epochs=10),
    *_cells(
        ("fashion_mnist_entropy",), None, _WEI_AVGS, num_samples=4000, batch_size=32, epochs=10
    ),
    *_cells(("cifar10_entropy",), None, _WEI_AVGS, num_samples=4000, batch_size=32, epochs=20),
    # IV: "the same 'sgd' optimizer with a momentum of 0.9 for each dataset", "p being 0.8";
    # Decision: the rate.
    *_cells(_ENTROPY, None, _WEI_AVGS, client_momentum=0.9, p=0.8, learning_rate=0.01),
    # IV-B: "we found 0.05 is the optimal value for μ".
    *_cells(_ENTROPY, None, ("fed_prox",), proximal_strength=0.05),
    # Not in the paper: their builders take plain SGD.
    *_cells(_ENTROPY, None, ("scaffold", "fed_veca"), client_momentum=0.0),
]

FED_CAV = [
    # The authors' `launch_exp.sh`; the data set as it is described.
    *_cells(
        ("mnist_major_minor",),
        None,
        ("fed_avg", "fed_prox", "fed_cav"),
        num_clients=100,
        clients_per_round=10,
        epochs=3,
        batch_size=10,
        learning_rate=0.01,
        client_momentum=0.0,
        samples_per_client=300,
        stdev=150.0,
    ),
    *_cells(("mnist_major_minor",), None, ("fed_prox",), proximal_strength=1.0),
    # The appendix: the softmax of mean losses; clipped at their mean.
    *_cells(("mnist_major_minor",), None, ("fed_cav",), loss_reduction="mean", clip="mean"),
]


_PAPERS = {
    "fedfa": FED_FA,
    "fedadp": FED_ADP,
    "fedveca": FED_VECA,
    "weiavg": WEI_AVG,
    "fedcav": FED_CAV,
}


@pytest.mark.parametrize("paper", _PAPERS)
def test_a_papers_values(paper):
    runs = {}
    for *run, field, value in _PAPERS[paper]:
        runs.setdefault(tuple(run), {})[field] = value
    for (dataset, model, algorithm), expected in runs.items():
        given = {} if model is None else {"model": model}
        configuration = configure(algorithm, dataset, given).configuration
        found = {
            **configuration.dataset_options,
            **configuration.hyperparameters,
            **vars(configuration),
        }
        given = {field: found[field] for field in expected}
        assert given == expected, (dataset, model, algorithm)


@pytest.mark.long
@pytest.mark.parametrize("algorithm", catalogue.algorithms())
def test_every_algorithm_takes_its_recipe_of_every_data_set(algorithm, tmp_path):
    """No builder refuses what its recipe says. Builders refuse kinds of local training, whatever
    the data and the model are, so that one of each kind is built."""
    task = load_task("synthetic_1_1")
    kinds = {}
    for dataset in registry.names():
        for model in registry.models(dataset):
            given = {"rounds": 1, "model": model}
            # For data of anybody's no recipe says a rate.
            given.update({"learning_rate": 0.01} if dataset == "leaf" else {})
            run = configure(algorithm, dataset, given)
            configuration = run.configuration
            kind = (
                configuration.client_momentum > 0,
                configuration.learning_rate_decay < 1,
                configuration.epochs is None,
            )
            kinds[kind] = run
    for run in kinds.values():
        build_process(run, task, store_dir=tmp_path)
