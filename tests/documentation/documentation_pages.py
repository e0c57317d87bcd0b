"""The pages of the documentation, README's among them, and the blocks and commands on them."""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>[a-z]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A fenced block: its page and line, its language, and its text without indentation."""

    name: str
    language: str
    text: str


def pages() -> list[pathlib.Path]:
    """All that are written by hand."""
    return [README, *sorted(DOCS.rglob("*.md"))]


def blocks() -> list[Block]:
    return [
        Block(
            name=f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}",
            language=found["language"],
            text=textwrap.dedent(found["text"]),
        )
        for page in pages()
        for text in [page.read_text()]
        for found in _BLOCK.finditer(text)
    ]


def examples() -> list[Block]:
    """The blocks that are programs; each runs by itself."""
    return [block for block in blocks() if block.language == "python"]


def commands() -> list[tuple[str, list[str]]]:
    """Every command of the console blocks: where it stands, and its words."""
    found = []
    for block in blocks():
        if block.language == "console":
            for line in block.text.replace("\\\n", " ").splitlines():
                for command in line.split(" && "):
                    words = shlex.split(command, comments=True)
                    if words[:2] == ["uv", "run"]:
                        words = words[2:]
                    if words[:1] == ["tff-weights"]:
                        program = words[1].replace("-", "_")
                        words = ["python", "-m", f"experiments.{program}", *words[2:]]
                    if words:
                        found.append((block.name, words))
    return found


def modules() -> dict[str, str]:
    """The examples that are modules of one's own, which commands name, by their file's name."""
    named = re.compile(r"# (?P<file>\w+\.py)\n")
    found = {block.text: named.match(block.text) for block in examples()}
    return {match["file"]: text for text, match in found.items() if match}


def notebooks() -> list[Block]:
    """The code of every notebook, cell after cell."""
    found = []
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        found.append(Block(str(path.relative_to(ROOT)), "python", "\n\n".join(code) + "\n"))
    return found


def requirements_of(title: str) -> list[str]:
    """The lines of `requirements.txt` below the heading that begins with the title."""
    text = (ROOT / "requirements.txt").read_text()
    return re.search(rf"^# {title}.*\n((?:[^#\n].*\n)+)", text, re.MULTILINE)[1].splitlines()
