# Completion of ovation for fish: ovation completion fish | source
function __ovation_candidates
    set -l before (commandline -opc)
    ovation complete -- $before[2..] (commandline -ct) 2>/dev/null
end
complete -c ovation -a '(__ovation_candidates)'
