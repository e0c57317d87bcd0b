"""Files that are there whole or not at all, and folders that one program writes at a time."""

from __future__ import annotations

import fcntl
import os
import pathlib
import tempfile
import weakref


def write_atomically(path: pathlib.Path, text: str) -> None:
    """Writes a file so that it is there whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", newline="") as file:
            file.write(text)
        # mkstemp makes files private; results are as readable as the user's other files.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


class FolderLock:
    """A lock on a folder, held until `release`, or until the program that holds it has ended.

    It is the operating system's, on the folder itself: no file tells of it, and none is left of a
    program that was killed.
    """

    def __init__(self, folder: pathlib.Path):
        """Takes the lock.

        Args:
            folder: A folder that exists.

        Raises:
            BlockingIOError: If it is held, by another program or by this one.
        """
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._close = weakref.finalize(self, os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise

    def release(self) -> None:
        """Gives the lock back; a second time it does nothing."""
        self._close()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
