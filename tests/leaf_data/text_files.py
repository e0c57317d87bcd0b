"""Small text data sets in their original formats, made up."""

from __future__ import annotations

import contextlib
import csv
import functools
import gzip
import http.server
import io
import json
import pathlib
import threading
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

from leaf_files import write_tff_sqlite

_NOTICE = """\
<<THIS ELECTRONIC VERSION OF THE COMPLETE WORKS IS COPYRIGHT BY ITS
PUBLISHER AND PROVIDED WITH PERMISSION, WHICH IS SAID IN MANY WORDS
WITH PERMISSION.  MANY MORE WORDS FOLLOW.>>
"""

GUTENBERG_TEXT = f"""\
The Complete Works, an imitation
{_NOTICE}
1609

THE SONNETS

by William Shakespeare


                     1
  Of roses. This line looks like a speech,
    and this like its continuation.

1603

ALLS WELL ENOUGH


by William Shakespeare

Dramatis Personae

  THE KING
  HELENA, a gentlewoman

ACT I. SCENE 1.
Enter HELENA

  HELENA. Where is the King? I have been seeking him in all the rooms
    of this great house, and found there none but servants
    who know nothing;   and three spaces are one.
  KING. Here.
{_NOTICE}
  Helena. Then I am glad. {"I have much to say to your Majesty. " * 3}

                       Exit HELENA

  PAGE. She is gone.
    Shall I call her back?
  KING. No.

1593

THE COMEDY OF ERRORS


by William Shakespeare

ACT I. Scene 1
{_NOTICE}
DUKE. Merchant of Syracuse, plead no more; this line is long enough.
This one goes on without any indentation,

and so does this, after an empty line.
Act II. SCENE 1
Nobody says this. Or this.
DUKE OF EPHESUS. I am another role
with as many as
three lines, and more than eighty characters in them, which is what it takes.
{_NOTICE}
1609

A LOVER'S COMPLAINT

by William Shakespeare

  FROM. off a hill whose concave womb reworded
    a story that is not a play. {"Nor is it short. " * 8}
    And so on.
End of this Etext of The Complete Works, by William Shakespeare
"""

PLAYS = [
    {
        "play": "Much Ado, or Little",
        "speaker": "First Clown",
        "speeches": ["One line\nand another", "A third $ " + "with more to it. " * 6],
    },
    {"play": "Much Ado, or Little", "speaker": "Mute", "speeches": ["Two\nlines " + "x" * 99]},
    {
        "play": "Much Ado, or Little",
        "speaker": "Second Clown",
        "speeches": ["a\nb\nc " + "More words than that? " * 10],
    },
]


def plays(num_roles: int, sentences: int = 20) -> list[dict[str, object]]:
    """Plays with so many roles, each of `3 + sentences` short lines."""
    return [
        {
            "play": "A Long Play",
            "speaker": f"Role {role}",
            "speeches": ["To be\nor not\nto be.", *["That is the question."] * (sentences + role)],
        }
        for role in range(num_roles)
    ]


def write_plays(path: pathlib.Path, entries: object) -> None:
    path.write_bytes(gzip.compress(json.dumps(entries).encode()))


def write_shakespeare_sqlite(
    path: pathlib.Path, splits: Mapping[str, Mapping[str, Sequence[str]]]
) -> None:
    """TFF's own form: splits of roles of snippets, each a serialized `tf.train.Example`."""
    examples = {
        split: {
            role: [{"snippets": [snippet.encode()]} for snippet in snippets]
            for role, snippets in roles.items()
        }
        for split, roles in splits.items()
    }
    write_tff_sqlite(path, examples)


def tweet(account: str, text: str, polarity: int = 4, identifier: int = 1) -> list[str]:
    """A row in Sentiment140's columns."""
    return [str(polarity), str(identifier), "Mon Apr 06 2009", "NO_QUERY", account, text]


def tweets(num_accounts: int, per_account: int) -> list[list[str]]:
    """Rows of accounts `user0`, ...: the first has one tweet more than the others."""
    return [
        tweet(f"user{account}", f"word{number % 7} is good, isn't it?", 4 * (number % 2), number)
        for account in range(num_accounts)
        for number in range(per_account + (account == 0))
    ]


def to_csv(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()


def write_tweets(path: pathlib.Path, rows: Iterable[Sequence[str]]) -> None:
    """Gzipped UTF-8 if the name ends in `.gz`, else Latin-1."""
    text = to_csv(rows)
    is_zipped = path.suffix == ".gz"
    path.write_bytes(gzip.compress(text.encode()) if is_zipped else text.encode("latin-1"))


def write_word_vectors(path: pathlib.Path, words: Iterable[str], size: int = 300) -> None:
    """The n-th word's vector is n in all places; gzipped if the name ends in `.gz`."""
    lines = (f"{word}{f' {number}' * size}\n" for number, word in enumerate(words, start=1))
    content = "".join(lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def gutenberg_served(folder: pathlib.Path, text: str = GUTENBERG_TEXT) -> Iterator[str]:
    """A server on this machine that takes Project Gutenberg's place: the address of its zip."""
    with zipfile.ZipFile(folder / "1994-01-100.zip", "w") as file:
        file.writestr("100.txt", text)
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/1994-01-100.zip"
        server.shutdown()
