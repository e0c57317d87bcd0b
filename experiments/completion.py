"""The script that completes programs and flags: `source <(tff-weights --completion=bash)`.

The shell asks a program's `--help` for its flags, so that nothing is listed here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from experiments.start_up import COMMAND

_BASH = r"""
_tff_weights() {
    local typed=${COMP_WORDS[COMP_CWORD]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "PROGRAMS --help --version" -- "$typed"))
    else
        local flags
        flags=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2> /dev/null |
            sed -n -e 's/^  --\[no\]\([a-z_]*\)$/--\1 --no\1/p' -e 's/^  \(--[a-z_]*\)$/\1=/p')
        COMPREPLY=($(compgen -W "$flags" -- "$typed"))
        compopt -o nospace 2> /dev/null
    fi
}
complete -F _tff_weights COMMAND
"""
_SHELLS = {"bash": _BASH, "zsh": "autoload -U +X bashcompinit && bashcompinit\n" + _BASH}


def script(shell: str, programs: Sequence[str]) -> str:
    """Returns the script.

    Args:
        shell: `bash` or `zsh`.
        programs: What the first word can be.

    Raises:
        SystemExit: With a sentence and status 2, if it is another shell.
    """
    if shell not in _SHELLS:
        print(f"{COMMAND}: completion must be one of {', '.join(_SHELLS)}", file=sys.stderr)
        sys.exit(2)
    text = _SHELLS[shell].replace("PROGRAMS", " ".join(programs)).replace("COMMAND", COMMAND)
    return text.strip()
