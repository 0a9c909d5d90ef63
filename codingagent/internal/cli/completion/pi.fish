# fish completion for pi. Keep it with
#     pi completion fish > ~/.config/fish/completions/pi.fish
# or try it with
#     pi completion fish | source
function __pi_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l pi $words[1]
    set -e words[1]
    for line in ($pi completion complete -- $words "$cur" 2>/dev/null)
        switch $line
            case ':files'
                # Behind --option= the name of the file begins after the sign.
                if string match -q -- '-*=*' "$cur"
                    set -l parts (string split -m 1 = -- "$cur")
                    for name in (complete -C "__pi_no_such_command $parts[2]")
                        echo $parts[1]=$name
                    end
                else
                    __fish_complete_path "$cur"
                end
            case ':open'
            case '*'
                echo $line
        end
    end
end
complete -c pi -f -a '(__pi_complete)'
