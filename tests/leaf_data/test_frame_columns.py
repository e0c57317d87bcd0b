"""Tests of `leaf_data.frame_columns`."""

import decimal

import numpy as np
import pandas as pd
import pytest

from leaf_data.errors import DataError
from leaf_data.frame_columns import feature_columns


@pytest.mark.parametrize(
    ("values", "dtype", "kept"),
    [
        ([True, False], bool, np.bool_),
        ([True, False], object, np.int64),
        ([3, 0, -1], "Int8", np.int64),
        ([3, 0, -1], "int32[pyarrow]", np.int64),
        ([2**63 + 5, 1], "uint64", np.float64),
        ([0.5, 2.0], "Float32", np.float64),
        ([1, True, 0.5], object, np.float64),
        ([decimal.Decimal("0.5")] * 3, object, np.float64),
        ([2, 2], "category", np.int64),
    ],
)
def test_numbers_and_truth_values_of_any_dtype_are_features(values, dtype, kept):
    features = feature_columns(pd.DataFrame({"a": pd.Series(values, dtype=dtype)}), ["a"])
    assert features.dtype == kept
    np.testing.assert_array_equal(features[:, 0], np.array(values, kept))


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "float64", "object"])
def test_a_missing_value_is_refused_with_its_column_and_row(dtype):
    column = pd.Series([1, None, 0], index=["p", "q", "r"]).astype(dtype)
    with pytest.raises(DataError, match="column 'age' is empty in row 'q'"):
        feature_columns(pd.DataFrame({"age": column}), ["age"])


@pytest.mark.parametrize(
    "values",
    [[1, "b"], [1j, 2j], pd.Categorical(["a", "a"]), pd.to_datetime(["2020-01-01", "2020-01-02"])],
)
def test_what_is_no_number_is_refused_with_its_column(values):
    with pytest.raises(DataError, match="column 'age' has the dtype"):
        feature_columns(pd.DataFrame({"age": values}), ["age"])
