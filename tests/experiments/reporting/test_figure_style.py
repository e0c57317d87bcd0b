from __future__ import annotations

from experiments.papers import catalogue
from experiments.reporting.figures import style


def test_under_an_attack_an_algorithm_is_drawn_as_its_next_variant():
    drawn = style.line_styles(["fed_cav", "fed_cav_misreporting"])
    assert drawn == style.line_styles(["fed_cav", "fed_cav"])
    assert drawn[0] != drawn[1]


def test_every_algorithm_of_a_paper_declares_its_style():
    """Else a new paper would change the colours of committed figures."""
    for name, algorithm in catalogue.algorithms().items():
        assert algorithm.attacked or (algorithm.color and algorithm.marker), name


def test_variants_of_one_algorithm_differ_in_shade_line_and_filling():
    first, second, other = style.line_styles(["fed_avg", "fed_avg", "fed_prox"])
    assert first == style.algorithm_style("fed_avg")
    assert second.marker == first.marker
    assert second.color != first.color
    assert second.line != first.line
    assert (first.is_filled, second.is_filled) == (True, False)
    assert second.marker_face == "white"
    assert other == style.algorithm_style("fed_prox")


def test_a_best_of_row_has_the_algorithms_own_style():
    styles = style.method_styles(catalogue.artifacts()["fedfa/table2"])
    assert styles["FedFa"] == style.algorithm_style("fed_fa")
    of_fed_fa = [styles[label] for label in ("FedFa", "FedFa (0.5, 0.5)", "FedFa (0, 1)")]
    assert len({one.color for one in of_fed_fa}) == 3
