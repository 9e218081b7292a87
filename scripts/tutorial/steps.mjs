// Reads the steps of a tutorial from its Markdown. The reader and the test follow the same few rules:
//
// - A block `sh` is typed into a terminal: the one that the paragraph above calls "terminal **NAME**", else the main one.
//   A command in the main terminal ends before the next step. One in another terminal runs until the text says
//   "Press Ctrl-C in the terminal **NAME**". Other terminals open in the current folder of the main one.
// - A line of `sh` with `…` is copied from the output of another terminal: the last line that matches it there.
// - A block `text` is output of the terminal that the paragraph above names, else of the command before. Other lines may stand
//   between, and `…` is any text. Widths of columns do not count. The test waits for the lines of other terminals, which
//   come in any order, because several processes print there.
// - A block `diff` changes the file that the paragraph above names last in backticks; blocks of other languages are that file.
// - "open <URL>" is an address that answers.

/**
 * @typedef {{ readonly line: number } & (
 *   | { readonly type: 'run', readonly terminal?: string, readonly code: string }
 *   | { readonly type: 'output', readonly terminal?: string, readonly code: string }
 *   | { readonly type: 'write' | 'change', readonly path: string, readonly code: string }
 *   | { readonly type: 'open', readonly url: string }
 *   | { readonly type: 'interrupt', readonly terminal: string })} Step
 */

const TERMINAL = /\bterminal \*\*([\w-]+)\*\*/u;

/**
 * Returns the steps of a document.
 *
 * @param {string} markdown
 * @returns {Step[]}
 * @throws {Error} if a block has no language, or no file.
 */
export function stepsOf(markdown) {
  const steps = [];
  let paragraph = '';
  let line = 1;
  for (const part of markdown.split(/(^```.*?^```$)/msu)) {
    const [, language, code] = /^```(\S*)\n(.*)^```$/msu.exec(part) ?? [];
    if (language === undefined) {
      steps.push(...actionsOf(part, line));
      paragraph = part.trim().split('\n\n').at(-1) ?? '';
    } else {
      steps.push({ line, ...blockOf({ language, code, paragraph, line }) });
    }
    line += part.split('\n').length - 1;
  }
  return steps;
}

function actionsOf(text, line) {
  const actions = /\b[Oo]pen <(?<url>[^>]+)>|\bPress Ctrl-C in the terminal \*\*(?<terminal>[\w-]+)\*\*/gu;
  return [...text.matchAll(actions)].map(({ index, groups: { url, terminal } }) => ({
    line: line + text.slice(0, index).split('\n').length - 1,
    ...(url === undefined ? { type: 'interrupt', terminal } : { type: 'open', url }),
  }));
}

function blockOf({ language, code, paragraph, line }) {
  const [, terminal] = TERMINAL.exec(paragraph) ?? [];
  if (language === 'sh') return { type: 'run', terminal, code };
  if (language === 'text') return { type: 'output', terminal, code };
  const path = [...paragraph.matchAll(/`([^`\n]+)`/gu)].at(-1)?.[1];
  if (language === '' || path === undefined) {
    throw new Error(`line ${line}: expected a block sh or text, or a file that the paragraph above names`);
  }
  return { type: language === 'diff' ? 'change' : 'write', path, code };
}

/**
 * Applies a block `diff`: the lines with "-" and " " must occur once, and those with "+" and " " replace them.
 *
 * @param {string} text
 * @param {string} diff
 */
export function changed(text, diff) {
  const lines = diff.split('\n').filter((line) => line !== '');
  const side = (sign) =>
    lines.flatMap((line) => (line[0] === sign || line[0] === ' ' ? [`${line.slice(1)}\n`] : [])).join('');
  const [before, after] = [side('-'), side('+')];
  const count = text.split(before).length - 1;
  if (count !== 1) throw new Error(`the file has ${count} times, and not once:\n${before}\nin:\n${text}`);
  return text.replace(before, () => after);
}

/**
 * Returns a pattern for a line in which `…` is any text.
 *
 * @param {string} line
 */
export function patternOf(line) {
  const parts = words(line).split('…');
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('.*')}$`, 'u');
}

/** @param {string} line */
export function words(line) {
  return line.trim().replace(/\s+/gu, ' ');
}
