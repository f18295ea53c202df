// The shells' halves of the completion. Each asks the program that is being completed, gets lines VALUE<tab>HELP, and
// lets the shell add files (:files) or folders (:folders).
#include "cli/completion.h"

namespace slipway::cli {
namespace {

constexpr std::string_view kBash = R"SCRIPT(# bash completion for slipway
_slipway() {
  local current=${COMP_WORDS[COMP_CWORD]} value
  COMPREPLY=()
  if [[ $current == = ]]; then current=; fi
  while IFS=$'\t' read -r value _; do
    case $value in
      :files)
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
        ;;
      :folders)
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$current")
        ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _slipway slipway flyio-machine
)SCRIPT";

constexpr std::string_view kZsh = R"SCRIPT(#compdef slipway flyio-machine
# zsh completion for slipway
_slipway() {
  local line value
  local -a described
  for line in "${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    value=${line%%$'\t'*}
    case $value in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *) described+=("${value//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  if (( $#described )); then _describe -V slipway described; fi
}
if [[ ${funcstack[1]} == _slipway ]]; then
  _slipway "$@"
else
  compdef _slipway slipway flyio-machine
fi
)SCRIPT";

constexpr std::string_view kFish = R"SCRIPT(# fish completion for slipway
function __slipway_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program __complete $words "$current" 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path "$current"
            case ':folders*'
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c slipway -f -a '(__slipway_complete)'
complete -c flyio-machine -f -a '(__slipway_complete)'
)SCRIPT";

}  // namespace

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return "";
}

}  // namespace slipway::cli
