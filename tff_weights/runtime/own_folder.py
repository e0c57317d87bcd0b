"""Temporary folders that are removed when their program ends in any way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile

# `cat` waits until the pipe is closed, which the kernel does even for a program that is killed.
# Processes that outlive the program may still write: what they add is removed after a second.
_REMOVE_WITH_PROGRAM = """
cat
sleep "$2"
for _ in 1 2 3 4 5; do
  rm -rf -- "$1" && exit
  sleep 1
done
"""


class OwnFolder:
    """A new folder for temporary files, removed by `remove`, or when this program has ended.

    A shell waits for the end, since Python cannot act when it is killed.

    Attributes:
        path: The folder.
    """

    def __init__(self, prefix: str, *, parent: str | None = None, patience_seconds: int = 0):
        """Makes the folder.

        Args:
            prefix: The beginning of its name.
            parent: Its parent folder; by default the one for temporary files.
            patience_seconds: How long after the program's end others may still use it.
        """
        self.path = tempfile.mkdtemp(prefix=prefix, dir=parent)
        self._remover = subprocess.Popen(
            ["/bin/sh", "-c", _REMOVE_WITH_PROGRAM, "sh", self.path, str(patience_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Ctrl-C and other signals to the program's group do not reach it.
            start_new_session=True,
        )

    def remove(self) -> None:
        """Removes the folder now."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.killpg(self._remover.pid, signal.SIGKILL)
        self._remover.communicate()
