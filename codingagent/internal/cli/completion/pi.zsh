#compdef pi
# zsh completion for pi. Keep it in a directory of $fpath:
#     pi completion zsh > "${fpath[1]}/_pi"
# or try it with
#     source <(pi completion zsh)
_pi() {
    local text about files open
    local -a texts abouts
    while IFS=$'\t' read -r text about; do
        case $text in
        :files) files=1 ;;
        :open) open=1 ;;
        ?*)
            texts+=("$text")
            abouts+=("$text${about:+  -- $about}")
            ;;
        esac
    done < <("${words[1]/#\~\//$HOME/}" completion complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (( $#texts )); then
        if [[ -n $open ]]; then
            compadd -S '' -d abouts -a texts
        else
            compadd -l -d abouts -a texts
        fi
    fi
    if [[ -n $files ]]; then
        _files
    fi
}
if [[ "${funcstack[1]}" == _pi ]]; then
    _pi "$@"
else
    compdef _pi pi
fi
