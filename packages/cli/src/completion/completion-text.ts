import { terminalText } from '@mcr/core/provider';
import type { Completions } from './completions.ts';

/**
 * Numbers that tell a shell whether files complete a word. (Upstream: `ShellCompDirective` of cobra, which kubectl expects
 * of `kubectl_complete-NAME`.)
 */
const DIRECTIVES = { files: 0, noFiles: 4 } as const;

/** Returns a line for each candidate, with its description after a tab, and the directive in the last line. */
export function completionText({ candidates, files }: Completions): string {
  const lines = candidates.map(({ value, description = '' }) => {
    const [summary = ''] = description.split('\n');
    return summary === '' ? terminalText(value) : `${terminalText(value)}\t${terminalText(summary)}`;
  });
  return [...lines, `:${files ? DIRECTIVES.files : DIRECTIVES.noFiles}`, ''].join('\n');
}
