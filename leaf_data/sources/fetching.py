"""What all downloads share: a quick look at the network, whole results, and one clear sentence."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence

from leaf_data.errors import DataError

_PROBE_TIMEOUT_SECONDS = 10.0


def missing_data(
    dataset: str, *, looked_for: Sequence[pathlib.Path], address: str, reason: str
) -> DataError:
    """The error for data that is neither on this machine nor can be downloaded.

    Args:
        dataset: The data set's name.
        looked_for: The local files; any one of them would have been enough.
        address: Where the data would have come from.
        reason: Why it does not, a clause without a full stop.

    Returns:
        The error, to be raised; its message is one sentence.
    """
    files = " or ".join(map(str, looked_for))
    return DataError(
        f"data set {dataset!r}: there is no {files}, and {address} cannot be had ({reason}); put"
        " the file there, or name the folder that holds it with --data_dir."
    )


def require_network(dataset: str, *, looked_for: Sequence[pathlib.Path], address: str) -> None:
    """Makes sure that an address answers, before a downloader tries it for minutes.

    Downloaders repeat a request whose host they cannot find, and each look-up of a name can take
    most of a minute. Any answer will do here, an error such as 404 included.

    Args:
        dataset: The data set's name, for errors.
        looked_for: The local files that were looked for, for the error.
        address: The address, http or https.

    Raises:
        DataError: If the address does not answer within 10 seconds.
    """
    problems: list[str] = []

    def probe() -> None:
        request = urllib.request.Request(address, method="HEAD")
        try:
            urllib.request.urlopen(request, timeout=_PROBE_TIMEOUT_SECONDS).close()
        except urllib.error.HTTPError:
            pass  # An answer.
        except OSError as error:
            problems.append(f"no connection: {getattr(error, 'reason', error)}")

    # In a thread of its own, because no timeout bounds the look-up of the host's name; a daemon,
    # because a program that ends must not wait for it.
    thread = threading.Thread(target=probe, daemon=True)
    thread.start()
    thread.join(_PROBE_TIMEOUT_SECONDS)
    if thread.is_alive():
        problems.append(f"no answer within {_PROBE_TIMEOUT_SECONDS:g} seconds")
    if problems:
        raise missing_data(dataset, looked_for=looked_for, address=address, reason=problems[0])


@contextlib.contextmanager
def whole_directory(destination: pathlib.Path) -> Iterator[pathlib.Path]:
    """Makes a directory that is there whole or not at all.

    Yields:
        A temporary directory beside the destination, to be filled. It takes the destination's name
        when the block ends, and is removed when the block raises. If another process was faster,
        its directory stays.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    temporary = pathlib.Path(
        tempfile.mkdtemp(prefix=f".{destination.name}.incomplete.", dir=destination.parent)
    )
    whole = temporary / destination.name  # With the user's mask: `temporary` is the user's alone.
    try:
        whole.mkdir()
        yield whole
        try:
            os.rename(whole, destination)
        except OSError:
            if not destination.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
