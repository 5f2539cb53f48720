#compdef ovation
# Completion of ovation for zsh: source <(ovation completion zsh), or as _ovation in a directory of fpath.
_ovation() {
    local found
    found="$(ovation complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"
    if [[ -z $found ]]; then
        _files
        return
    fi
    local -a pairs=("${(@f)${found//:/\\:}}")
    pairs=("${(@)pairs/$'\t'/:}")
    _describe ovation pairs
}
if [[ $funcstack[1] == _ovation ]]; then
    _ovation "$@"
else
    compdef _ovation ovation
fi
