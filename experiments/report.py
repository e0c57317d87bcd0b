"""Writes all results: what the papers claim and what holds, every table and figure.

    python -m experiments.report
    python -m experiments.report --output_dir=results --markdown=MINE.md --pages=my_pages

Nothing is trained: the pages are made of the runs that came with the software. With --output_dir
they also show the runs below that folder, and the comparisons that `compare` made there. The first
page has the headlines and how many claims hold; each paper has a page in --pages, with its claims,
tables and figures. Without --output_dir verdicts.csv and the README's headlines are written, too.
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import tqdm
from absl import flags

from experiments import command_line
from experiments.command_line import shared_flags
from experiments.declaration import ONLY_SCALE, SCALES, Artifact
from experiments.papers import catalogue

if TYPE_CHECKING:
    from experiments.reporting.finished import FinishedArtifact
    from experiments.reporting.own_comparisons import Comparison
    from experiments.reporting.results import Results
    from experiments.runs.plan import ArtifactRun
    from experiments.runs.run_folders import RunFolders

_DEFAULT_SCALES = ("paper", "short")
_SCALES = flags.DEFINE_list(
    "scales",
    list(_DEFAULT_SCALES),
    "The scales that are shown: some of paper, short and smoke. If several have complete seeds "
    "enough for a test, claims are judged at one with the paper's rounds; else at that with most.",
)
_OUTPUT_DIR = shared_flags.define_path(
    "output_dir", None, "A folder of runs and comparisons of your own; none without it."
)
_MARKDOWN = shared_flags.define_path("markdown", "RESULTS.md", "The first page.")
_PAGES = shared_flags.define_path("pages", "docs/results", "The folder of pages; it is made.")
shared_flags.define("results_dir", "papers")


def main() -> None:
    """Reads what is finished and writes the pages."""
    from experiments.reporting import pages
    from experiments.reporting.own_comparisons import as_paper, read_comparisons
    from experiments.reporting.results import Results
    from experiments.reporting.verdicts import VERDICTS_FILE
    from experiments.runs import committed
    from experiments.runs.files import write_atomically
    from experiments.runs.run_folders import RunFolders

    with command_line.bad_input_ends_the_program():
        scales = tuple(_SCALES.value)
        if not scales or len(set(scales)) != len(scales) or not set(scales) <= set(SCALES):
            raise ValueError(f"--scales must be different ones of {SCALES}, got {scales}")
        first, folder = (pathlib.Path(flag.value).resolve() for flag in (_MARKDOWN, _PAGES))
        if first.is_dir() or not first.parent.is_dir():
            raise ValueError(f"--markdown must be a file in a folder that is there, got {first}")
        given = _OUTPUT_DIR.value
        output_dir = None if given is None else pathlib.Path(given).resolve()
        results_dir = shared_flags.results_dir()
        if output_dir is None or flags.FLAGS["results_dir"].present:
            committed.check_runs(results_dir)
        if output_dir is not None and not committed.runs_dir(output_dir).is_dir():
            raise ValueError(f"--output_dir must be a folder with runs, got {output_dir}")
        comparisons = [] if output_dir is None else read_comparisons(output_dir)
        folder.mkdir(parents=True, exist_ok=True)
    folders = RunFolders(() if output_dir is None else (output_dir / "runs",), (results_dir,))
    finished, failures = read_artifacts(catalogue.artifacts().values(), folders, scales=scales)
    papers = list(catalogue.papers().values())
    own = _read_comparisons(comparisons, folders, finished, failures)
    papers += [as_paper(own)] if own else []
    results = Results(papers, finished, [results_dir, *([output_dir] if output_dir else [])])
    of_papers = {folder / f"{paper.name}.md": paper for paper in papers if paper.artifacts}
    with command_line.bad_input_ends_the_program():
        texts = {
            page: pages.paper_page(of_papers[page], results, page, first)
            for page in tqdm.tqdm(of_papers, unit="page", disable=None)
        }
        guides = [guide for paper in papers for guide in paper.guides]
        texts.update((folder / each.stem, pages.guide_page(each, results)) for each in guides)
        texts[first] = pages.results_page(results, first, folder)  # After those that it links to.
        if output_dir is None:
            texts[results_dir / VERDICTS_FILE] = committed_verdicts(results, results_dir)
            readme = first.parent / "README.md"
            before = readme.read_bytes() if readme.exists() and readme != first else b""
            if pages.HEADLINES.encode() in before:
                texts[readme] = pages.with_headlines(before.decode("utf-8"), results)
        for page in texts:
            if page.is_dir() or not os.access(page.parent, os.W_OK):
                raise ValueError(f"{page} cannot be written; nothing is")
    for page, text in texts.items():
        write_atomically(page, text)
    print(pages.how_much_is_run(results))
    print(f"Written: {', '.join(map(str, texts))}")
    for failure, names in failures.items():
        left_out = f"Left out, since not all runs can be read: {', '.join(names)}: {failure}"
        print(left_out, file=sys.stderr)
    if failures:
        raise SystemExit(1)


def read_artifacts(
    artifacts: Collection[Artifact], folders: RunFolders, *, scales: Sequence[str] = _DEFAULT_SCALES
) -> tuple[dict[str, list[FinishedArtifact]], dict[str, list[str]]]:
    """Returns finished artifacts by name, and by error message those that cannot be read.

    An artifact's first entry is the scale by which claims are judged.
    """
    from experiments.reporting.finished import read_finished

    seeds = folders.seeds()
    finished: dict[str, list[FinishedArtifact]] = {}
    failures: dict[str, list[str]] = {}
    for artifact in tqdm.tqdm(artifacts, unit="artifact", disable=None):
        # Of scales with the same runs, the one that was committed gives the name.
        committed_at = {
            scale: any((each / artifact.folder(scale)).is_dir() for each in folders.results_dirs)
            for scale in scales
        }
        ordered = sorted(scales, key=committed_at.__getitem__, reverse=True)
        try:
            of_artifact = _most_whole_seeds_first(
                [read_finished(artifact, scale, seeds, folders.find) for scale in ordered]
            )
        except ValueError as error:  # A run that is damaged, or of another version.
            failures.setdefault(f"{type(error).__name__}: {error}", []).append(artifact.name)
            continue
        if of_artifact:
            finished[artifact.name] = of_artifact
    return finished, failures


def committed_verdicts(results: Results, results_dir: pathlib.Path) -> str:
    """Returns the verdicts on all committed artifacts, from all committed seeds, as CSV."""
    from experiments.reporting.finished import read_finished
    from experiments.reporting.verdicts import verdicts_csv, verdicts_on
    from experiments.runs.run_folders import RunFolders

    judged = {}
    folders = RunFolders((), (results_dir,))
    artifacts = [artifact for paper in results.papers for artifact in paper.artifacts]
    for artifact, scale in ((artifact, scale) for artifact in artifacts for scale in SCALES):
        # What cannot be read is named on the first page.
        is_there = (results_dir / artifact.folder(scale)).is_dir()
        if not is_there or artifact.name not in results.finished:
            continue
        verdicts = results.judged.get((artifact.name, scale))
        if verdicts is None:  # A scale that no page shows.
            found = read_finished(artifact, scale, folders.seeds(), folders.find)
            verdicts = [] if found is None else verdicts_on(found, catalogue.claims())
        judged[artifact.name, scale] = verdicts
    return verdicts_csv(judged)


def _read_comparisons(
    comparisons: Sequence[Comparison],
    folders: RunFolders,
    finished: dict[str, list[FinishedArtifact]],
    failures: dict[str, list[str]],
) -> list[Artifact]:
    """Adds what is finished of the user's comparisons, and returns those that can be shown."""
    from experiments.reporting.finished import read_finished

    shown = []
    for comparison in comparisons:
        try:
            artifact = comparison.artifact()
            found = read_finished(artifact, ONLY_SCALE, comparison.seeds, folders.find)
        except ValueError as error:  # For example, the user's module is gone.
            failures.setdefault(f"{type(error).__name__}: {error}", []).append(comparison.name)
            continue
        shown.append(artifact)
        if found is not None:
            finished[artifact.name] = [found]
    return shown


def _most_whole_seeds_first(found: Sequence[FinishedArtifact | None]) -> list[FinishedArtifact]:
    """Returns what is shown: the scales with a whole seed, or else the one with most methods.

    Of scales with seeds enough for a test, those with the paper's rounds come first. Scales with
    the same runs count as one, under the name of the first. Seeds in which no methods
    can be compared are left out.
    """
    from experiments.reporting.pairs import FEWEST_SEEDS

    by_runs: dict[tuple[ArtifactRun, ...], FinishedArtifact] = {}
    for finished in (each.of_comparable_seeds() for each in found if each is not None):
        if finished.runs and finished.tables:
            by_runs.setdefault(tuple(run for run, _ in finished.runs), finished)

    def order(one: FinishedArtifact) -> tuple[int, int, int]:
        whole = len(one.whole_seeds)
        is_short = any(table.is_short for table in one.tables)
        return -min(whole, FEWEST_SEEDS), is_short if whole else -len(one.by_variant), -whole

    ordered = sorted(by_runs.values(), key=order)
    return [each for place, each in enumerate(ordered) if place == 0 or each.whole_seeds]


if __name__ == "__main__":
    command_line.run(main)
