"""Weightings that report more than they weigh by, for tables and figures."""

from __future__ import annotations

import dataclasses

from tff_weights.checks import check_type
from tff_weights.client_work.reports import REPORT_FIELDS
from tff_weights.cohort.update_geometry import UPDATE_FIELDS, needs_mean
from tff_weights.weightings.weighting import Weighting

_SIZE = "num_examples"


def with_measurements(weighting: Weighting, measured: str = "") -> Weighting:
    """Makes a weighting gather more scalars of every participant than it needs itself.

    They are in the round's metrics under `reports`, beside the weighting's own; the weights do not
    change. Fields that are measured against the mean update cost a second upload. A client is left
    out if one of its numbers is not finite.

    Decision: the mean update is the one that the weighting itself uses. If it uses none, the mean
        is `Σ p_i Δ_i` (FedAdp, Algorithm 1) where the weighting itself asks for `n_i`, and the
        simple mean (WeiAvg, eq. 3) where it does not, or weighs uniformly.

    Args:
        weighting: Any weighting.
        measured: Names of `REPORT_FIELDS` or `UPDATE_FIELDS`, separated by commas, such as
            `"projection_on_mean,label_entropy"`; with an empty text the weighting is returned
            unchanged.

    Raises:
        ValueError: If a name is unknown.
    """
    check_type("measured", measured, str)
    if not measured:
        return weighting
    names = tuple(name.strip() for name in measured.split(","))
    for name in names:
        if name not in REPORT_FIELDS and name not in UPDATE_FIELDS:
            raise ValueError(
                f"measured must be names of {sorted({*REPORT_FIELDS, *UPDATE_FIELDS})} separated "
                f"by commas, got {measured!r}"
            )
    of_updates = tuple(name for name in names if name in UPDATE_FIELDS)
    divisors = [of for name in of_updates if (of := UPDATE_FIELDS[name].divisor) is not None]
    reported = (*(name for name in names if name in REPORT_FIELDS), *divisors)
    # Uniform weightings have n_i among their fields for TFF's builders alone.
    has_size = _SIZE in weighting.report_fields and not weighting.name.startswith("uniform")
    has_mean = needs_mean(weighting.update_fields) or not has_size
    return dataclasses.replace(
        weighting,
        report_fields=tuple(dict.fromkeys((*weighting.report_fields, *reported))),
        update_fields=tuple(dict.fromkeys((*weighting.update_fields, *of_updates))),
        mean_weight=weighting.mean_weight if has_mean else _SIZE,
        divides_by_rate=weighting.divides_by_rate or bool(divisors),
    )
