# Completion of ovation for bash: source <(ovation completion bash)
_ovation() {
    local IFS=$'\n'
    COMPREPLY=($(ovation complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _ovation ovation
