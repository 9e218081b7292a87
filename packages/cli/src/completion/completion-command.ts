import { Argument, type Command } from 'commander';
import type { Output } from '../command/output.ts';
import { type Shell, SHELLS, shellScript } from './shell-script.ts';

/** Adds `mcr completion`. */
export function addCompletion(mcr: Command, output: Output): void {
  mcr
    .command('completion')
    .summary('print a script for the completion of a shell')
    .description(
      'Prints a script that completes the command lines of mcr. Load it in the startup file of the shell:\n\n' +
        '  source <(mcr completion bash)      # ~/.bashrc\n' +
        '  source <(mcr completion zsh)       # ~/.zshrc, after compinit\n' +
        '  mcr completion fish | source       # ~/.config/fish/config.fish',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => output.print(shellScript(shell)));
}
