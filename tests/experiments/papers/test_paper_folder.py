from __future__ import annotations

from experiments.declaration import Claim, Headline, Metric, Option, Reading
from experiments.papers.common import rounds_to
from experiments.papers.folder import read_claims, read_headline, read_notes, read_readings


def test_notes_are_read_by_the_names_of_their_heading(tmp_path):
    (tmp_path / "notes.md.jinja").write_text(
        "{% set shared %}\nOne of\ntwo lines.\n{% endset %}\n\n"
        "## a, b\n- {{ shared }}\n- {{ rounds }}\n\n## c\n- {{ alone[1] }}\n"
    )
    notes = read_notes(str(tmp_path / "module.py"), rounds=5)
    assert notes["a"] == notes["b"] == ("One of two lines.", "5")
    assert notes["c"][0].startswith("A gain is")


def test_readings_are_read_by_the_names_of_their_fields(tmp_path):
    (tmp_path / "readings.toml").write_text(
        '[[reading]]\nplace = "Eq. 1"\nquestion = "sum"\nwhy = "It says so."\n'
        '[[reading.options]]\nlabel = "of all"\n'
        '[[reading.options]]\nlabel = "of some"\nsettings = { some = 2 }\nalgorithms = ["a"]\n'
    )
    options = (Option("of all"), Option("of some", {"some": 2}, ("a",)))
    found = read_readings(str(tmp_path / "module.py"))
    assert found == (Reading("Eq. 1", "sum", options, "It says so."),)


def test_claims_name_metrics_of_three_places(tmp_path):
    """Targets of rounds, a table of the paper's own, and what its artifacts share."""
    (tmp_path / "metrics.toml").write_text('[mean]\nkey = "test_average"\nlabel = "average %"\n')
    (tmp_path / "claims.csv").write_text(
        "name,artifact,datasets,metric,better,worse,reference,kind,source,statement\n"
        "a,t,,rounds_to_95,A,B,,,T,A.\nb,t,x y,mean,A,,2.5,equal,T,B.\nc,t,,best,A,B,,,T,C.\n"
    )
    best = Metric("best_accuracy", "best %")
    module = str(tmp_path / "module.py")
    by_rounds, by_mean, by_best = read_claims("p", module, {"best": best})
    assert by_rounds == Claim("p/a", "A.", "T", "p/t", rounds_to(95), "A", "B")
    mean = Metric("test_average", "average %")
    assert by_mean == Claim("p/b", "B.", "T", "p/t", mean, "A", None, 2.5, ("x", "y"), "equal")
    assert by_best.metric is best


def test_a_headline_is_read_by_its_headings(tmp_path):
    """Slots stay as they are: they are filled in when a page is written."""
    (tmp_path / "headline.md.jinja").write_text(
        "{# Said. #}\n\n## claim\n\nIt\nsays.\n\n## shown\n\n{{ verdict('p/a') }}.\n"
    )
    found = read_headline(str(tmp_path / "module.py"))
    assert found == Headline("It says.", "{{ verdict('p/a') }}.")
    assert read_headline(str(tmp_path / "other" / "module.py")) is None
