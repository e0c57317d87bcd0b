"""Pages that are made of what lies elsewhere: README, the catalogue, docstrings and notebooks."""

from __future__ import annotations

import logging
import pathlib
import pkgutil
import posixpath
import re
from collections.abc import Iterator, Mapping

import nbformat
from curves import curve_of
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from nbconvert import MarkdownExporter
from tables import table
from tqdm import tqdm

import experiments  # noqa: F401  First, because it silences TensorFlow.
from experiments.declaration import SCALES, Artifact, Paper
from experiments.papers import catalogue
from tff_weights import runtime

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_PICTURES = "pictures"
# What pages from outside of the documentation's folder link to.
_FILES = "files"
# A link or a picture of Markdown, its target with or without angle brackets.
_LINK = re.compile(r"(?P<before>!?\[[^\]]*\]\()<?(?P<target>[^)>]+)>?\)")
# Pages of the repository, and where they stand here.
_FROM_THE_REPOSITORY = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "RELIABILITY.md": "reliability.md",
    "SECURITY.md": "security.md",
    "RESULTS.md": "all_results.md",
    # In the documentation's folder, but with links to figures outside of it.
    **{
        f"docs/results/{page.name}": f"results/{page.name}"
        for page in sorted((_ROOT / "docs" / "results").glob("*.md"))
    },
}
_REFERENCE = "reference/"
_progress: tqdm = tqdm(disable=True)


def on_startup(**_: object) -> None:
    """Shows warnings alone; of --quiet, which does so too, --strict would no longer count them."""
    logging.getLogger("mkdocs").setLevel(logging.WARNING)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds all made pages."""
    print("Drawing the figures of the pages ...", flush=True)
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    runtime.use()  # TFF's own context prints a traceback when the program ends.
    for file in _made(config):
        if (as_it_lies := files.get_file_from_path(file.src_uri)) is not None:
            files.remove(as_it_lies)
        files.append(file)
    return files


def on_nav(nav: Navigation, **_: object) -> None:
    """Shows how many pages are written; without a terminal one line says how many there are."""
    global _progress
    print(f"Writing {len(nav.pages)} pages ...", flush=True)
    _progress = tqdm(total=len(nav.pages), unit="page", disable=None)


def on_post_page(output: str, **_: object) -> str:
    """Counts a page that is written."""
    _progress.update()
    return output


def on_post_build(**_: object) -> None:
    """Ends the bar."""
    _progress.close()


def _made(config: MkDocsConfig) -> Iterator[File]:
    files: set[str] = set()
    for source, page in _FROM_THE_REPOSITORY.items():
        text, shown = _moved((_ROOT / source).read_text(), source, _FROM_THE_REPOSITORY)
        files |= shown
        yield File.generated(config, page, content=text)
    for file in sorted(files):
        yield File.generated(config, f"{_FILES}/{file}", abs_src_path=str(_ROOT / file))
    yield File.generated(config, "artifacts.md", content=_catalogue())
    for name in catalogue.algorithms():
        if (curve := curve_of(name)) is not None:
            yield File.generated(config, f"{_PICTURES}/curves/{name}.png", content=curve[0])
    for name in _pages_of_nav(config.nav, _REFERENCE):
        yield File.generated(config, name, content=_reference(name))
    for notebook in sorted((pathlib.Path(config.docs_dir) / "notebooks").glob("*.ipynb")):
        yield from _notebook(notebook, config)


def _moved(markdown: str, source: str, pages: Mapping[str, str]) -> tuple[str, set[str]]:
    """Returns a page of the repository as it reads here, and the files that it links to.

    Args:
        markdown: The page.
        source: Where it lies in the repository.
        pages: Where such pages stand here.
    """
    files = set()

    def move(found: re.Match[str]) -> str:
        target, hash_sign, anchor = found["target"].partition("#")
        if "://" in target or not target:
            return found[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if file.startswith("docs/"):
            place = file.removeprefix("docs/")
        elif file in pages:
            place = pages[file]
        elif (_ROOT / file).is_file():
            files.add(file)
            place = f"{_FILES}/{file}"
        else:
            return found[0]
        from_here = posixpath.relpath(place, posixpath.dirname(pages[source]) or ".")
        return f"{found['before']}{from_here}{hash_sign}{anchor})"

    return _LINK.sub(move, markdown), files


def _catalogue() -> str:
    """The page of all tables and figures."""
    parts = [
        "# The catalogue\n",
        "Every table and figure that can be made, by paper; `reproduce --artifact=NAME` makes one, "
        "`--scale` says how large: *smoke* ends in about a minute and shows nothing but that it "
        "works, *short* is the smallest that can show the paper's ranking, *paper* is the paper's "
        "own size. See [the programs](programs.md).\n",
    ]
    for paper in catalogue.papers().values():
        if paper.artifacts or paper.claims:
            parts.append(_of_paper(paper))
    return "\n".join(parts)


def _of_paper(paper: Paper) -> str:
    methods = '<span class="wide">methods</span>'
    header = ("artifact", "what it shows", "data sets", methods, f"rounds: {', '.join(SCALES)}")
    rows = [
        (
            f"`{artifact.name}`",
            artifact.title,
            ", ".join(artifact.datasets),
            ", ".join(artifact.methods),
            _rounds(artifact),
        )
        for artifact in paper.artifacts
    ]
    claims = [f"- {c.statement} ({c.source}; `{c.artifact}`)" for c in paper.claims]
    parts = [f"## {paper.title}\n", f"{paper.citation}\n", table(header, rows), ""]
    if claims:
        parts += ["What it claims, as `report` judges it:\n", *claims, ""]
    return "\n".join(parts)


def _rounds(artifact: Artifact) -> str:
    return ", ".join(f"{artifact.scales[scale].rounds:,}" for scale in SCALES)


def _pages_of_nav(nav: object, prefix: str) -> Iterator[str]:
    """Yields the pages of the navigation that begin with a prefix."""
    if isinstance(nav, str):
        if nav.startswith(prefix):
            yield nav
    elif isinstance(nav, (list, dict)):
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from _pages_of_nav(part, prefix)


def _reference(page: str) -> str:
    """The page of a package or module: what its docstrings say, module by module."""
    name = page.removeprefix(_REFERENCE).removesuffix(".md")
    folder = _ROOT / name.replace(".", "/")
    inside = [
        f"{name}.{module.name}"
        for module in pkgutil.iter_modules([str(folder)])
        if not (module.ispkg or module.name.startswith("_"))
    ]
    return "\n\n".join([f"# `{name}`", *(f"::: {module}" for module in inside or [name])])


def _notebook(path: pathlib.Path, config: MkDocsConfig) -> Iterator[File]:
    """Yields the page of a notebook, with the outputs that it was committed with."""
    body, resources = MarkdownExporter().from_notebook_node(
        nbformat.read(path, as_version=4), resources={"output_files_dir": f"{path.stem}_pictures"}
    )
    yield File.generated(config, f"notebooks/{path.stem}.md", content=body)
    for name, content in resources["outputs"].items():
        yield File.generated(config, f"notebooks/{name}", content=content)
