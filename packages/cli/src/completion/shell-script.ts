/** Shells with completion. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Name of the hidden command that prints candidates. */
export const COMPLETE = '__complete';

/** Returns the script that makes a shell complete the command lines of `mcr`, by asking it. */
export function shellScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/*
 * The lines are candidates, each with a description after a tab; the last one is the directive, which is :0 if files complete
 * the word, too. For `--option=value`, the candidates are values. (Upstream: the completions of cobra.)
 */

const BASH = `# Completion of mcr for bash. Load it with: source <(mcr completion bash)
_mcr() {
  local rest=\${COMP_LINE:0:COMP_POINT} word line candidate at directive=4
  local -a words=()
  # bash splits words at = and :, too.
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if ((at == 0)) || [[ $rest == [[:space:]]* ]]; then words+=(''); fi
    rest=\${rest#"\${rest%%[![:space:]]*}"}
    if ((at == COMP_CWORD)); then word=$rest; fi
    words[\${#words[@]} - 1]+=$word
    rest=\${rest#"$word"}
  done
  words=("\${words[@]//\\\\}")
  local current=\${words[\${#words[@]} - 1]} option= prefix= breaks=\${COMP_WORDBREAKS//[^:=]}
  if [[ $current == -*=* ]]; then option=\${current%%=*}=; fi
  if [[ $breaks ]]; then prefix=\${current%"\${current##*[$breaks]}"}; fi
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) directive=\${line#:} ;;
      *)
        candidate=$option\${line%%$'\\t'*}
        printf -v candidate %q "\${candidate#"$prefix"}"
        COMPREPLY+=("$candidate")
        ;;
    esac
  done < <(mcr ${COMPLETE} "\${words[@]:1}" 2>/dev/null)
  if [[ $directive == 0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _mcr mcr
`;

const ZSH = `#compdef mcr
# Completion of mcr for zsh. Load it with: source <(mcr completion zsh)
_mcr() {
  local line value directive=4
  local -a candidates
  while IFS= read -r line; do
    case $line in
      :*) directive=\${line#:} ;;
      *)
        value=\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}
        value=\${value//:/\\\\:}
        [[ $line == *$'\\t'* ]] && value+=:\${line#*$'\\t'}
        candidates+=("$value")
        ;;
    esac
  done < <(mcr ${COMPLETE} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  [[ \${words[CURRENT]} == -*=* ]] && compset -P 1 '*='
  ((\${#candidates})) && _describe mcr candidates
  if [[ $directive == 0 ]]; then _files; fi
}
compdef _mcr mcr
`;

const FISH = `# Completion of mcr for fish. Load it with: mcr completion fish | source
function __mcr_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct | string unescape; or commandline -ct)
  set -l option (string match -r -- '^-[^=]*=' "$current")
  for line in (mcr ${COMPLETE} $words[2..-1] "$current" 2>/dev/null)
    switch $line
      case ':0'
        for path in (__fish_complete_path (string replace -- "$option" '' "$current"))
          echo "$option$path"
        end
      case ':*'
      case '*'
        echo "$option$line"
    end
  end
end
complete -c mcr -f -a '(__mcr_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
