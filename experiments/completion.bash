# The shell asks a program's --help for its flags, so that nothing is listed here.
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
