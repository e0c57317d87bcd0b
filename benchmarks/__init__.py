"""Times rounds of this library beside others; run from a checkout, not installed."""

from __future__ import annotations

import experiments  # noqa: F401  # Sets what TensorFlow reads at its import.
