"""Which commit of this software a program runs."""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
from importlib import metadata

_DISTRIBUTION = "tff-weights"
_ROOT = pathlib.Path(__file__).resolve().parents[2]
_SOURCES = ("tff_weights/*.py", "leaf_data/*.py", "experiments/*.py")
_WITH_CHANGES = " with changes"
_MOST_SECONDS = 10


@functools.cache
def revision() -> str | None:
    """Returns the commit from which this software runs, as it was when first asked.

    A version has many of them, and how a graph is written may change the last digits of what it
    computes, even where it computes the same.

    Returns:
        The hash of a checkout's commit, with a note if its sources differ from it or Git does not
        say whether they do; that of the commit that pip has installed from a repository (PEP 610);
        None where there is neither, as with a released package.
    """
    return _of_checkout() if (_ROOT / ".git").exists() else _installed()


def _of_checkout() -> str | None:
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None
    is_as_committed = _git("status", "--porcelain", "--", *_SOURCES) == ""
    return commit if is_as_committed else commit + _WITH_CHANGES


def _git(*arguments: str) -> str | None:
    """Returns what Git prints; None where it is not there or refuses, as for another's files."""
    try:
        ended = subprocess.run(
            ["git", *arguments],
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=_MOST_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout.strip()


def _installed() -> str | None:
    try:
        text = metadata.distribution(_DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    origin = json.loads(text) if text else {}
    commit = origin.get("vcs_info", {}).get("commit_id")
    return commit if isinstance(commit, str) else None
