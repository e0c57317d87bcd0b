"""All that `tff_weights` offers under its own name."""

from tff_weights.aggregators.trimmed_sum import TrimmedSumFactory
from tff_weights.aggregators.weighting_factory import WeightingFactory
from tff_weights.algorithms.centralized import build_centralized_sgd
from tff_weights.algorithms.composition import apply_update, compose_algorithm
from tff_weights.algorithms.ditto import build_ditto
from tff_weights.algorithms.drfa import build_drfa, clients_of_round
from tff_weights.algorithms.fed_adp import build_fed_adp
from tff_weights.algorithms.fed_avg import build_fed_avg
from tff_weights.algorithms.fed_cav import build_fed_cav
from tff_weights.algorithms.fed_fa import build_fed_fa, build_fed_fa_mo
from tff_weights.algorithms.fed_nova import build_fed_nova
from tff_weights.algorithms.fed_prox import build_fed_prox
from tff_weights.algorithms.fed_veca import build_fed_veca
from tff_weights.algorithms.measuring import with_measurements
from tff_weights.algorithms.power_of_choice import build_power_of_choice
from tff_weights.algorithms.prop_fair import build_prop_fair
from tff_weights.algorithms.scaffold import build_scaffold
from tff_weights.algorithms.trained_alone import build_trained_alone
from tff_weights.algorithms.wei_avg import build_wei_avg
from tff_weights.algorithms.weighted import (
    build_aagg_ff_d,
    build_aagg_ff_s,
    build_afl,
    build_fed_disco,
    build_fed_eba,
    build_fed_fv,
    build_fed_mgda,
    build_q_fed_avg,
    build_term,
)
from tff_weights.attacks.model_replacement import with_model_replacement
from tff_weights.client_work.client_store import client_store_files, prune_client_store
from tff_weights.client_work.labels import sparse_categorical_correct
from tff_weights.client_work.local_data import client_data
from tff_weights.client_work.local_loss import OverExamples
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import Client, LocalWork, Trained
from tff_weights.client_work.process import build_client_work
from tff_weights.client_work.reports import LocalRun, ReportField
from tff_weights.client_work.schedules import CosineDecay, ExponentialDecay, StepDecay
from tff_weights.client_work.uniform_epochs import UniformEpochs
from tff_weights.evaluation.fairness import (
    FairnessStatistics,
    client_statistics,
    fairness_statistics,
)
from tff_weights.evaluation.fine_tuning import build_fine_tuning
from tff_weights.evaluation.own_models import OwnModels
from tff_weights.evaluation.per_client import (
    PerClientEvaluation,
    build_own_model_evaluation,
    build_per_client_evaluation,
)
from tff_weights.finalizers.judged import build_judged_finalizer
from tff_weights.finalizers.server_momentum import build_server_momentum_finalizer
from tff_weights.message_sizes import Communication, communication, communication_by_protocol
from tff_weights.protocol import Protocol
from tff_weights.weightings.aagg_ff_d import aagg_ff_d_weighting
from tff_weights.weightings.aagg_ff_s import aagg_ff_s_weighting
from tff_weights.weightings.acceptance import accept_if_loss_falls
from tff_weights.weightings.afl import afl_weighting
from tff_weights.weightings.fed_adp import fed_adp_weighting
from tff_weights.weightings.fed_cav import fed_cav_weighting
from tff_weights.weightings.fed_disco import fed_disco_weighting
from tff_weights.weightings.fed_eba import fed_eba_weighting
from tff_weights.weightings.fed_fa import fed_fa_weighting
from tff_weights.weightings.fed_fv import fed_fv_weighting
from tff_weights.weightings.fed_mgda import fed_mgda_weighting
from tff_weights.weightings.fed_nova import fed_nova_weighting
from tff_weights.weightings.plain import num_examples_weighting, uniform_weighting
from tff_weights.weightings.q_fair import q_fair_weighting
from tff_weights.weightings.term import term_weighting
from tff_weights.weightings.wei_avg import wei_avg_weighting
from tff_weights.weightings.weighting import Verdict, Weighed, Weighting

__all__ = [
    "Client",
    "Communication",
    "CosineDecay",
    "ExponentialDecay",
    "FairnessStatistics",
    "LocalRun",
    "LocalTraining",
    "LocalWork",
    "OverExamples",
    "OwnModels",
    "PerClientEvaluation",
    "Protocol",
    "ReportField",
    "StepDecay",
    "Trained",
    "TrimmedSumFactory",
    "UniformEpochs",
    "Verdict",
    "Weighed",
    "Weighting",
    "WeightingFactory",
    "aagg_ff_d_weighting",
    "aagg_ff_s_weighting",
    "accept_if_loss_falls",
    "afl_weighting",
    "apply_update",
    "build_aagg_ff_d",
    "build_aagg_ff_s",
    "build_afl",
    "build_centralized_sgd",
    "build_client_work",
    "build_ditto",
    "build_drfa",
    "build_fed_adp",
    "build_fed_avg",
    "build_fed_cav",
    "build_fed_disco",
    "build_fed_eba",
    "build_fed_fa",
    "build_fed_fa_mo",
    "build_fed_fv",
    "build_fed_mgda",
    "build_fed_nova",
    "build_fed_prox",
    "build_fed_veca",
    "build_fine_tuning",
    "build_judged_finalizer",
    "build_own_model_evaluation",
    "build_per_client_evaluation",
    "build_power_of_choice",
    "build_prop_fair",
    "build_q_fed_avg",
    "build_scaffold",
    "build_server_momentum_finalizer",
    "build_term",
    "build_trained_alone",
    "build_wei_avg",
    "client_data",
    "client_statistics",
    "clients_of_round",
    "communication",
    "communication_by_protocol",
    "compose_algorithm",
    "client_store_files",
    "fairness_statistics",
    "fed_adp_weighting",
    "fed_cav_weighting",
    "fed_disco_weighting",
    "fed_eba_weighting",
    "fed_fa_weighting",
    "fed_fv_weighting",
    "fed_mgda_weighting",
    "fed_nova_weighting",
    "num_examples_weighting",
    "prune_client_store",
    "q_fair_weighting",
    "sparse_categorical_correct",
    "term_weighting",
    "uniform_weighting",
    "wei_avg_weighting",
    "with_measurements",
    "with_model_replacement",
]
