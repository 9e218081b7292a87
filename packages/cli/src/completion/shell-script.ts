/** Shells with completion. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Name of the hidden command that prints candidates. */
export const COMPLETE = '__complete';

/** Returns the script that makes a shell complete the command lines of `mcr`, by asking it. */
export function shellScript(shell: Shell): string {
  return SCRIPTS[shell];
}

const BASH = `# Completion of mcr for bash. Load it with: source <(mcr completion bash)
_mcr() {
  local line directive=4
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) directive=\${line#:} ;;
      *) COMPREPLY+=("\${line%%$'\t'*}") ;;
    esac
  done < <(mcr ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "$directive" = 0 ]; then compopt -o default 2>/dev/null; fi
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
        value=\${line%%$'\t'*}
        candidates+=("\${value//:/\\:}:\${line#*$'\t'}")
        ;;
    esac
  done < <(mcr ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#candidates} )) && _describe mcr candidates
  if [[ $directive == 0 ]]; then _files; fi
}
compdef _mcr mcr
`;

const FISH = `# Completion of mcr for fish. Load it with: mcr completion fish | source
function __mcr_complete
  set -l words (commandline -opc)
  for line in (mcr ${COMPLETE} $words[2..-1] "$(commandline -ct)" 2>/dev/null)
    switch $line
      case ':0'
        __fish_complete_path (commandline -ct)
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c mcr -f -a '(__mcr_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
