from __future__ import annotations

import pytest
import tensorflow_federated as tff

from experiments.runs import local_work
from experiments.runs.configure import configure, read_run
from tff_weights import CosineDecay, ExponentialDecay, StepDecay, UniformEpochs


@pytest.mark.parametrize(
    ("setting", "text", "made"),
    [
        ("epochs_per_client", "uniform(1, 20)", UniformEpochs(1, 20)),
        ("epochs_per_client", "uniform(most=5, least=2)", UniformEpochs(2, 5)),
        ("learning_rate_schedule", "step(0.1, 30)", StepDecay(0.1, 30)),
        ("learning_rate_schedule", "exponential(0.9)", ExponentialDecay(0.9)),
        ("learning_rate_schedule", "cosine(50,by=step)", CosineDecay(50, by="step")),
    ],
)
def test_text_becomes_what_local_training_takes(setting, text, made):
    assert local_work.read(setting, text) == made
    built = local_work.read("client_optimizer", "yogi(beta_1=0.8)")(0.5)
    expected = tff.learning.optimizers.build_yogi(0.5, beta_1=0.8)
    assert type(built) is type(expected) and vars(built) == vars(expected)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("epochs_per_client", ("", "uniform(1)", "uniform(0,5)", "normal(1,5)", "f(x)[0]")),
        ("learning_rate_schedule", ("step(0.1)", "cosine(0)", "linear(3)", "cosine(5,by=week)")),
        ("client_optimizer", ("sgd", "adam(0.1)", "adam(beta_1=2)", "adam(learning_rate=1)", "((")),
    ],
)
def test_what_cannot_be_read_is_named(name, texts):
    for text in texts:
        with pytest.raises(ValueError, match=name):
            configure("fed_avg", "synthetic_1_1", {name: text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("epochs_per_client", "uniform(1, 5)"),
        ("learning_rate_schedule", "cosine(100)"),
        ("client_optimizer", "adam"),
    ],
)
def test_a_setting_takes_the_place_of_the_recipe_s(name, text):
    """FedFa's recipe has epochs and the clients' momentum, FedAdp's a decay."""
    for algorithm in ("fed_fa", "fed_adp"):
        plain = configure(algorithm, "synthetic_1_1", {})
        given = configure(algorithm, "synthetic_1_1", {name: text})
        assert name not in plain.identity.split('"')
        assert read_run(given.configuration.to_json()) == given != plain


@pytest.mark.parametrize("other", [{"epochs": 3.0}, {"steps": 3}])
def test_two_settings_of_the_same_are_refused(other):
    with pytest.raises(ValueError, match="epochs_per_client"):
        configure("fed_avg", "synthetic_1_1", {"epochs_per_client": "uniform(1, 5)", **other})
    plain = configure("fed_avg", "synthetic_1_1", {"learning_rate_schedule": "cosine(9)"})
    with pytest.raises(ValueError, match="learning_rate_decay"):
        plain.with_settings(learning_rate_decay=0.9)
