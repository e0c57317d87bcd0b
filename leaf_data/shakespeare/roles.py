"""Speaking roles: what LEAF makes of a play's text, whichever edition it comes from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from leaf_data.shakespeare.alphabet import to_symbols

WINDOW_SIZE = 80

_MAX_LINES_OF_A_DROPPED_ROLE = 2


@dataclasses.dataclass(frozen=True)
class Role:
    """All that one role says in one play.

    Attributes:
        client_id: `PLAY_ROLE`, made as LEAF makes it: `_` for a space, and for punctuation.
        text: What it says, on one line.
    """

    client_id: str
    text: str

    def windows(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """The samples: every 80 characters in a row, and the character after them.

        Returns:
            `x` [num_windows, 80] uint8 and `y` [num_windows] int32, both symbols; `x` is a
            read-only view that needs no memory of its own.
        """
        symbols = to_symbols(self.text)
        if not self.num_windows:  # There is nothing to slide over.
            return np.empty((0, WINDOW_SIZE), np.uint8), np.empty(0, np.int32)
        windows = np.lib.stride_tricks.sliding_window_view(symbols, WINDOW_SIZE + 1)
        return windows[:, :-1], windows[:, -1].astype(np.int32)

    @property
    def num_windows(self) -> int:
        """The number of samples."""
        return max(0, len(self.text) - WINDOW_SIZE)


def join_lines(lines: Iterable[str]) -> str:
    """Lines as one: joined with a space, with one at the end, and runs of spaces made one."""
    return re.sub(" {2,}", " ", " ".join([*lines, ""]))


def roles_of(lines_by_role: Iterable[tuple[str, str, list[str]]]) -> list[Role]:
    """Joins each role's lines, and leaves out those that say too little.

    LEAF's rules: a role with at most 2 lines is dropped, and so is one with no more than 80
    characters, who has no window. Names that differ only in punctuation are one role.

    Args:
        lines_by_role: `(play, role, lines)`.

    Returns:
        The roles, in the order in which they first occur.
    """
    lines_of: dict[str, list[str]] = {}
    for play, role, lines in lines_by_role:
        client_id = re.sub(r"\W+", "_", f"{play}_{role}".replace(" ", "_"))
        lines_of.setdefault(client_id, []).extend(lines)
    roles = [
        Role(client_id, join_lines(lines))
        for client_id, lines in lines_of.items()
        if len(lines) > _MAX_LINES_OF_A_DROPPED_ROLE
    ]
    return [role for role in roles if role.num_windows]
