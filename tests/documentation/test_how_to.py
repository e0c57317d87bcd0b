"""What a how-to lists is all that there is."""

from __future__ import annotations

import re

from documentation_pages import DOCS

from tff_weights.client_work.reports import REPORT_FIELDS
from tff_weights.cohort.update_geometry import UPDATE_FIELDS


def test_a_weighting_is_told_of_every_field_that_it_can_ask_for():
    cells = re.findall(r"^\| (`.*?`) \|", (DOCS / "how_to/weighting.md").read_text(), re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == {
        *REPORT_FIELDS,
        *UPDATE_FIELDS,
    }
