"""The colour, marker and line of a method: the algorithm's own, the same in every figure."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib import colors

from experiments.declaration import Artifact
from experiments.papers import catalogue

# The 12 colours of Krzywinski's palette for colour blindness (mkweb.bcgsc.ca/colorblind), the
# strongest on white first; a dark and a grey one, which differ in lightness, are among them.
PALETTE = (
    *("#008df9", "#e20134", "#009f81", "#ff6e3a", "#8400cd", "#9f0162", "#00c2f9"),
    *("#ff5aaf", "#ffc33b", "#3b2a00", "#6b7280", "#e889d9", "#00d5af", "#a40122"),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d", "*")
# Their number and the number of shades have no common divisor, so 42 variants differ in one or
# both.
LINE_STYLES = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.2)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (9, 3)),
    (0, (3, 1, 1, 1)),
    (0, (2, 2, 6, 2)),
)
# The shades of one algorithm's variants: how far towards white, or below 0 towards black.
_SHADES_OF_DARK = (0.0, 0.45, -0.5, 0.65, -0.75, 0.25)
_SHADES_OF_LIGHT = (0.0, -0.35, -0.6, 0.4, -0.8, -0.2)
_IS_LIGHT_FROM = 0.6


@dataclasses.dataclass(frozen=True)
class Style:
    """How a method is drawn: in a colour `#rrggbb`, with a marker and a line of Matplotlib's."""

    color: str
    marker: str
    line: str | tuple[int, tuple[float, ...]] = "-"
    is_filled: bool = True

    @property
    def marker_face(self) -> str:
        """The colour inside the marker."""
        return self.color if self.is_filled else "white"

    @property
    def of_lines(self) -> dict[str, Any]:
        """What Matplotlib takes of a line with markers."""
        return {
            "color": self.color,
            "linestyle": self.line,
            "linewidth": 1.5,
            "marker": self.marker,
            "markerfacecolor": self.marker_face,
        }


def algorithm_style(algorithm: str) -> Style:
    """Returns an algorithm's style: its declared one, or else one by its name.

    An algorithm under an attack has the style of the algorithm attacked. A style by name may be
    another algorithm's; in a figure of both it has another colour.
    """
    name = _drawn_as(algorithm)
    declared = catalogue.algorithm(name)
    digest = zlib.crc32(name.encode())
    return Style(
        declared.color or PALETTE[digest % len(PALETTE)],
        declared.marker or MARKERS[digest % len(MARKERS)],
    )


def _drawn_as(algorithm: str) -> str:
    return catalogue.algorithm(algorithm).attacked or algorithm


def line_styles(algorithms: Iterable[str]) -> list[Style]:
    """Returns a style for each of several lines, by their algorithms.

    The first line of an algorithm has its style, the next ones another shade and line style, and
    every other one's markers are empty.
    """
    drawn = [_drawn_as(algorithm) for algorithm in algorithms]
    first_styles = _first_styles(drawn)
    styles = []
    for place, algorithm in enumerate(drawn):
        own, nth = first_styles[algorithm], drawn[:place].count(algorithm)
        line = LINE_STYLES[nth % len(LINE_STYLES)]
        color = _shaded(own.color, nth)
        styles.append(dataclasses.replace(own, color=color, line=line, is_filled=nth % 2 == 0))
    return styles


def _first_styles(algorithms: Iterable[str]) -> dict[str, Style]:
    """Returns the styles of algorithms; those without a declared colour avoid others' colours.

    Each takes the first colour, beginning with its own, that none before it has.
    """
    styles = {name: algorithm_style(name) for name in algorithms}
    colors = {n: each.color for n, each in styles.items() if catalogue.algorithm(n).color}
    for name, own in styles.items():
        if name not in colors:
            place, taken = PALETTE.index(own.color), set(colors.values())
            free = (color for color in PALETTE[place:] + PALETTE[:place] if color not in taken)
            colors[name] = next(free, own.color)
            styles[name] = dataclasses.replace(own, color=colors[name])
    return styles


def method_styles(artifact: Artifact) -> Mapping[str, Style]:
    """Returns the style of every method of an artifact by label."""
    algorithms = {variant.label: variant.algorithm for variant in artifact.variants}
    return dict(zip(algorithms, line_styles(algorithms.values())))


def _shaded(color: str, nth: int) -> str:
    """Returns the `nth` shade of a colour; the first, 0, is the colour itself."""
    parts = np.array(colors.to_rgb(color))
    shades = _SHADES_OF_LIGHT if parts.mean() > _IS_LIGHT_FROM else _SHADES_OF_DARK
    share = shades[nth % len(shades)]
    return colors.to_hex(parts + abs(share) * (float(share > 0) - parts))
