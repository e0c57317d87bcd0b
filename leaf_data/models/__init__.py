"""The models of the benchmark tasks, as `tff.learning.models.FunctionalModel`."""

from leaf_data.models.convolutional import fed_adp_cnn, fed_adp_cnn_unpadded, fed_veca_cnn
from leaf_data.models.image_logistic_regression import image_logistic_regression
from leaf_data.models.le_net import le_net
from leaf_data.models.logistic_regression import logistic_regression
from leaf_data.models.next_character_lstm import next_character_lstm
from leaf_data.models.perceptron import perceptron
from leaf_data.models.sentiment_lstm import sentiment_lstm
from leaf_data.models.squared_svm import squared_svm

__all__ = [
    "fed_adp_cnn",
    "fed_adp_cnn_unpadded",
    "fed_veca_cnn",
    "image_logistic_regression",
    "le_net",
    "logistic_regression",
    "next_character_lstm",
    "perceptron",
    "sentiment_lstm",
    "squared_svm",
]
