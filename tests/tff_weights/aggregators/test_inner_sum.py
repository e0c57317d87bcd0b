from __future__ import annotations

import pytest
import tensorflow_federated as tff

from tff_weights.aggregators.inner_sum import inner_sum


def test_the_chosen_factory_is_taken():
    chosen = tff.aggregators.SecureSumFactory(1.0)

    assert inner_sum(chosen) is chosen


def test_without_a_choice_it_is_a_plain_sum():
    assert isinstance(inner_sum(None), tff.aggregators.SumFactory)


@pytest.mark.parametrize("wrong", [tff.aggregators.MeanFactory(), 1.0])
def test_what_weighs_by_itself_is_refused(wrong):
    with pytest.raises(TypeError, match=f"inner_factory .*got {type(wrong).__name__}"):
        inner_sum(wrong)
