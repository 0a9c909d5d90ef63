# bash completion for pi. Try it with
#     source <(pi completion bash)
# and keep it with
#     pi completion bash > ~/.local/share/bash-completion/completions/pi
_pi_complete() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word glued i
    # bash takes = and : for words of their own; put together what has no blank
    # between.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        glued=$i
        if [[ $rest == [[:space:]]* ]]; then
            glued=0
            rest=${rest#"${rest%%[![:space:]]*}"}
        fi
        rest=${rest#"$word"}
        if ((glued > 0 && ${#words[@]} > 0)); then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    local pi=${words[0]} cur=${words[${#words[@]} - 1]} breaks='' keep='' text about files=''
    [[ $pi == "~/"* ]] && pi=$HOME/${pi#"~/"}
    # Of what stands before the last = or : the shell takes care itself.
    [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
    [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
    [[ -n $breaks ]] && keep=${cur%"${cur##*[$breaks]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r text about; do
        case $text in
        :files) files=1 ;;
        :open) compopt -o nospace 2>/dev/null ;;
        ?*) COMPREPLY+=("${text#"$keep"}") ;;
        esac
    done < <("$pi" completion complete -- "${words[@]:1}" 2>/dev/null)
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r text; do
            COMPREPLY+=("$text")
        done < <(compgen -f -- "${cur#"$keep"}")
    fi
}
complete -F _pi_complete pi
