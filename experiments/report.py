"""Writes all results: what the papers claim and what holds, every table and figure.

    python -m experiments.report
    python -m experiments.report --output_dir=results --html=RESULTS.html
    python -m experiments.report --pages=docs/results

Nothing is trained: they are made of the runs below --output_dir and of those that came with the
software, those of comparisons that `compare` made there, too. RESULTS.md has the claims, and
RESULTS_by_paper/PAPER.md the tables and figures of each paper; RESULTS.html is all of that in one
file that needs no network. --pages brings the tables on pages of prose up to date, from the runs
that came with the software alone.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Sequence

from absl import flags

from experiments import command_line
from experiments.command_line import papers_flag
from experiments.declaration import ONLY_SCALE, SCALES, Artifact
from experiments.papers import catalogue
from experiments.reporting import page_tables
from experiments.reporting.finished import FinishedArtifact, RunFolders, read_finished
from experiments.reporting.html import html_page
from experiments.reporting.markdown_page import folder_of_parts, markdown_pages
from experiments.reporting.own_comparisons import Comparison, as_paper, read_comparisons
from experiments.reporting.results_page import TITLE, Results, how_much_is_run, results_page
from experiments.runs import committed
from experiments.runs.files import write_atomically

_SCALES = flags.DEFINE_list(
    "scales",
    ["paper", "short"],
    "The scales that are shown, of paper, short and smoke; claims are judged by the one of which "
    "the most seeds are whole, by the first of these where they are as many.",
)
_OUTPUT_DIR = flags.DEFINE_string("output_dir", "results", "The folder of runs and tables.")
_RESULTS_DIR = flags.DEFINE_string(
    "results_dir", str(committed.RESULTS_DIR), "The folder of results that travel with software."
)
_MARKDOWN = flags.DEFINE_string(
    "markdown",
    "RESULTS.md",
    "The page in Markdown; the tables and figures of each paper are on a page of their own, in a "
    "folder beside it.",
)
_HTML = flags.DEFINE_string("html", "RESULTS.html", "The page in HTML.")
_PAGES = flags.DEFINE_string(
    "pages",
    None,
    "A folder of pages in Markdown: what stands there between `<!-- results: NAME -->` and "
    "`<!-- end of results -->` becomes the table that a paper declares by this name.",
)
flags.adopt_module_key_flags(papers_flag)


def main() -> None:
    """Reads what is finished and writes both pages."""
    with command_line.bad_input_ends_the_program():
        papers_flag.add_papers()
        scales = _parse_scales(_SCALES.value)
        pages = [pathlib.Path(flag.value).resolve() for flag in (_MARKDOWN, _HTML)]
        for page in pages:
            if page.is_dir() or not page.parent.is_dir():
                raise ValueError(f"{page} cannot be written: it must be a file in a folder that is")
        folder = folder_of_parts(pages[0])
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} must be a folder, for the pages of the papers")
        output_dir = pathlib.Path(_OUTPUT_DIR.value).resolve()
        results_dir = pathlib.Path(_RESULTS_DIR.value).resolve()
        if not ((output_dir / "runs").is_dir() or flags.FLAGS["results_dir"].present):
            committed.check_runs(results_dir)  # There is nothing else to report.
        comparisons = list(read_comparisons(output_dir))
        prose = _pages_of_prose(results_dir)
    # At once, so that what somebody writes there while the rest is made is not lost.
    for page, text in prose.items():
        write_atomically(page, text)
    folders = RunFolders((output_dir / "runs",), (results_dir,))
    seeds = folders.seeds()
    finished: dict[str, list[FinishedArtifact]] = {}
    failures: dict[str, list[str]] = {}  # From what is wrong to all that need it.
    for name, artifact in catalogue.artifacts().items():
        try:
            of_artifact = _most_whole_seeds_first(
                [read_finished(artifact, scale, seeds, folders.find) for scale in scales]
            )
        except (KeyError, ValueError) as error:  # A run that is damaged, or of another version.
            failures.setdefault(f"{type(error).__name__}: {error}", []).append(name)
            continue
        if of_artifact:
            finished[name] = of_artifact
    papers = list(catalogue.papers().values())
    own = _read_comparisons(comparisons, folders, finished, failures)
    if own:
        papers.append(as_paper(own))
    results = Results(papers, finished, (results_dir, output_dir))
    blocks = results_page(results)
    first, *of_papers = markdown_pages(blocks, pages[0]).items()
    for page, text in of_papers:
        page.parent.mkdir(exist_ok=True)
        write_atomically(page, text)
    write_atomically(*first)  # After those that it links to.
    write_atomically(pages[1], html_page(TITLE, blocks))
    written = [str(page) for page in (pages[0], *(page for page, _ in of_papers), *prose)]
    print(f"{how_much_is_run(results)}\nWritten: {', '.join(written)} and {pages[1]}")
    for failure, names in failures.items():
        left_out = f"Left out, since not all runs can be read: {', '.join(names)}: {failure}"
        print(left_out, file=sys.stderr)
    if failures:
        raise SystemExit(1)


def _pages_of_prose(results_dir: pathlib.Path) -> dict[pathlib.Path, str]:
    """Returns the pages of prose whose tables are not those of the committed runs, with them.

    Raises:
        ValueError: If there is no such folder, or a page's table cannot be made.
    """
    if _PAGES.value is None:
        return {}
    folder = pathlib.Path(_PAGES.value).resolve()
    if not folder.is_dir():
        raise ValueError(f"--pages must be a folder, got {_PAGES.value!r}")
    find = RunFolders((), (results_dir,)).find
    changed = {}
    for page in sorted(folder.glob("*.md")):
        try:
            markdown = page.read_text(encoding="utf-8")
            text = page_tables.with_tables(markdown, catalogue.papers().values(), find)
        except ValueError as error:
            raise ValueError(f"{page}: {error}") from error
        if text != markdown:
            changed[page] = text
    return changed


def _read_comparisons(
    comparisons: Sequence[Comparison],
    folders: RunFolders,
    finished: dict[str, list[FinishedArtifact]],
    failures: dict[str, list[str]],
) -> list[Artifact]:
    """Adds what is finished of comparisons of one's own, and returns those that can be shown."""
    shown = []
    for comparison in comparisons:
        try:
            artifact = comparison.artifact()
            found = read_finished(artifact, ONLY_SCALE, comparison.seeds, folders.find)
        except (KeyError, ValueError) as error:  # A module of one's own that is gone, say.
            failures.setdefault(f"{type(error).__name__}: {error}", []).append(comparison.name)
            continue
        shown.append(artifact)
        if found is not None:
            finished[artifact.name] = [found]
    return shown


def _most_whole_seeds_first(found: Sequence[FinishedArtifact | None]) -> list[FinishedArtifact]:
    """Returns what there is, and that only if its tables can be made.

    Where no scale has a whole seed, other artifacts may have made some of its runs. Scales of the
    same runs are one, by the name of the first.
    """
    of_artifact: list[FinishedArtifact] = []
    for finished in found:
        if finished is not None and finished.tables:
            runs = [run for run, _ in finished.runs]
            if all(runs != [run for run, _ in other.runs] for other in of_artifact):
                of_artifact.append(finished)
    return sorted(of_artifact, key=lambda one: (-len(one.whole_seeds), -len(one.seeds)))


def _parse_scales(names: Sequence[str]) -> tuple[str, ...]:
    if not names or len(set(names)) != len(names) or not set(names) <= set(SCALES):
        raise ValueError(f"--scales must be different ones of {SCALES}, got {','.join(names)!r}")
    return tuple(names)


if __name__ == "__main__":
    command_line.run(main)
