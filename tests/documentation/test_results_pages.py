"""The pages of results are what `python -m experiments.report` writes from the committed runs."""

from __future__ import annotations

import pytest
from documentation_pages import DOCS, README, ROOT

from experiments import report
from experiments.papers import catalogue
from experiments.reporting import pages
from experiments.reporting.artifact_files import FIGURE_FILE
from experiments.reporting.numbers import ABSENT
from experiments.reporting.pages import guide_page, paper_page, results_page
from experiments.reporting.results import Results
from experiments.reporting.verdicts import VERDICTS_FILE
from experiments.runs.run_folders import RunFolders
from experiments.start_up import RESULTS_DIR

_PAGES = DOCS / "results"
_FIRST = ROOT / "RESULTS.md"
_PAPERS = {name: paper for name, paper in catalogue.papers().items() if paper.artifacts}
# Few runs, so that it is looked at in each run of the tests.
_SMALL = "fedcav"


def _results(*papers):
    artifacts = [artifact for paper in papers for artifact in paper.artifacts]
    finished, failures = report.read_artifacts(artifacts, RunFolders(()))
    assert not failures
    return Results(papers, finished, [RESULTS_DIR])


@pytest.mark.parametrize(
    "name",
    [name if name == _SMALL else pytest.param(name, marks=pytest.mark.long) for name in _PAPERS],
)
def test_a_papers_page_and_its_verdicts(name):
    paper, page = _PAPERS[name], _PAGES / f"{name}.md"
    results = _results(paper)
    assert paper_page(paper, results, page, _FIRST) == page.read_text()
    for first, *_ in results.finished.values():
        folder = RESULTS_DIR / first.artifact.folder(first.scale)
        assert not first.whole_seeds or (folder / FIGURE_FILE).is_file(), folder
    for guide in paper.guides:
        assert guide_page(guide, results) == (_PAGES / guide.stem).read_text()
    assert ABSENT not in page.read_text().partition("\n## Findings\n")[2]
    header, *rows = (RESULTS_DIR / VERDICTS_FILE).read_text().splitlines()
    judged = report.committed_verdicts(results, RESULTS_DIR).splitlines()
    assert judged == [header, *(row for row in rows if row.startswith(f"{name}/"))]


@pytest.mark.long
def test_the_first_page():
    results = _results(*catalogue.papers().values())
    assert results_page(results, _FIRST, _PAGES) == _FIRST.read_text()
    readme = README.read_text()
    assert pages.with_headlines(readme, results) == readme
