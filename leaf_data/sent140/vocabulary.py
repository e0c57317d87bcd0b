"""Words, their numbers, and the vectors that stand for them."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from leaf_data.errors import DataError
from leaf_data.local_files import open_text

NUM_TOKENS = 25

_NO_WORD = 0
_MAX_LEARNED_WORDS = 10_000
# LEAF, models/utils/language_utils.py: words with their apostrophes, and some punctuation marks.
_TOKEN = re.compile(r"[\w']+|[.,!?;]")


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The words that a model knows.

    Attributes:
        words: The words; the first has the number 1. Words that are not there, and the places after
            a tweet's end, have the number 0: LEAF has one number for both, too.
        vectors: [len(words) + 1, size] float32, fixed, zeros for the number 0; None where the
            vectors are learned.
    """

    words: tuple[str, ...]
    vectors: npt.NDArray[np.float32] | None = dataclasses.field(default=None, compare=False)

    @property
    def size(self) -> int:
        """The number of numbers."""
        return len(self.words) + 1

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """The numbers of the first 25 tokens of each text: [len(texts), 25] int32."""
        number_of = {word: number for number, word in enumerate(self.words, start=1)}
        numbers = np.full((len(texts), NUM_TOKENS), _NO_WORD, np.int32)
        for row, text in zip(numbers, texts):
            tokens = tokenize(text)[:NUM_TOKENS]
            row[: len(tokens)] = [number_of.get(token, _NO_WORD) for token in tokens]
        return numbers


def tokenize(text: str) -> list[str]:
    """The tokens of a text, as LEAF's `split_line`: capitals stay capitals."""
    return _TOKEN.findall(text)


def learned_vocabulary(training_texts: Iterable[str]) -> Vocabulary:
    """The words for an embedding that is learned.

    Decision, since the papers use GloVe and say nothing of it: the 10,000 most frequent tokens of
    the training tweets. Among equally frequent ones, those first in the order of characters count.

    Args:
        training_texts: The tweets.

    Returns:
        The vocabulary, the most frequent word first.
    """
    counts = collections.Counter(token for text in training_texts for token in tokenize(text))
    by_frequency = sorted(counts, key=lambda word: (-counts[word], word))
    return Vocabulary(tuple(by_frequency[:_MAX_LEARNED_WORDS]))


def glove_vocabulary(path: pathlib.Path, texts: Iterable[str]) -> Vocabulary:
    """Those words of a file of word vectors that the texts have.

    The vectors are fixed and the same for all, so that a word that nobody says can be left out:
    GloVe's 400,000 words are 480 MB, which would go to every client in every round.

    Args:
        path: A text file such as `glove.6B.300d.txt`, gzipped if its name ends in `.gz`: on each
            line a word and as many numbers as on the first. A first line of two numbers, as
            word2vec and fastText have it, is left out.
        texts: All tweets.

    Returns:
        The vocabulary, in the order of the file.

    Raises:
        DataError: If the file cannot be read, a line is malformed, or none of its words is used.
    """
    wanted = {token for text in texts for token in tokenize(text)}
    words: dict[str, npt.NDArray[np.float32]] = {}
    size = 0
    try:
        with open_text(path, newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                parts = line.rstrip(" \r\n").split(" ")
                if number == 1 and len(parts) == 2 and all(map(str.isdecimal, parts)):
                    continue
                size = size or len(parts) - 1
                # From the right, because some words of the larger files have spaces.
                word, values = " ".join(parts[:-size]), parts[-size:]
                if not word or size == 0 or _is_number(parts[-size - 1]) and " " in word:
                    raise DataError(
                        f"{path}, line {number}: has {len(parts) - 1} numbers after the word; it"
                        f" must have {size or 'some'}, as the lines before."
                    )
                if word in wanted and word not in words:
                    words[word] = _vector(values, path, number)
    except (EOFError, OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: cannot be read ({reason}).") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is no UTF-8 text ({error}).") from None
    if not words:
        raise DataError(f"{path}: has none of the {len(wanted)} words of the tweets.")
    vectors = np.stack([np.zeros(size, np.float32), *words.values()])
    return Vocabulary(tuple(words), vectors)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _vector(values: list[str], path: pathlib.Path, line: int) -> npt.NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):
            vector = np.array(values, np.float32)
    except ValueError as error:
        raise DataError(f"{path}, line {line}: is no word vector ({error}).") from None
    if not np.isfinite(vector).all():
        raise DataError(f"{path}, line {line}: has a number that is not finite in 32 bits.")
    return vector
