// Follows a tutorial word by word.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { changed, patternOf, stepsOf, words } from './steps.mjs';
import { folderOf, openIn, Terminal } from './terminal.mjs';

/** Name of the main terminal, which a document does not name. */
const MAIN = '';

/**
 * Does everything that a document says.
 *
 * @param {string} markdown The document, with the conventions of `steps.mjs`.
 * @param {{ readonly scratch: string, readonly folder: string, readonly env: NodeJS.ProcessEnv }} options `scratch` is a
 *   directory for files of the test, `folder` the one where the reader begins.
 * @throws {Error} with the line of the step that failed.
 */
export async function follow(markdown, { scratch, folder, env }) {
  const terminals = new Map();
  const terminal = (name = MAIN) => {
    const known = terminals.get(name);
    if (known) return known;
    const opened = new Terminal({ state: join(scratch, `terminal-${name}`), env });
    openIn(opened.state, name === MAIN ? folder : folderOf(terminal()));
    terminals.set(name, opened);
    return opened;
  };
  const actions = {
    run: async ({ terminal: name, code }) => {
      const completed = copied(code, [...terminals.values()]);
      if (name === undefined) await terminal().run(completed);
      else terminal(name).start(completed);
    },
    output: ({ terminal: name, code }) =>
      terminal(name).shows(
        code
          .trim()
          .split('\n')
          .filter((line) => line.trim() !== ''),
      ),
    write: ({ path, code }) => {
      const file = join(folderOf(terminal()), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
    },
    change: ({ path, code }) => {
      const file = join(folderOf(terminal()), path);
      writeFileSync(file, changed(readFileSync(file, 'utf8'), code));
    },
    open: ({ url }) => answers(url),
    interrupt: ({ terminal: name }) => terminal(name).interrupt(),
  };
  try {
    for (const step of stepsOf(markdown)) {
      try {
        await actions[step.type](step);
      } catch (error) {
        const shown = [...terminals].map(([name, { lines }]) => `--- terminal ${name}\n${lines.slice(-40).join('\n')}`);
        throw new Error(`line ${step.line}: ${error.message}\n${shown.join('\n')}`, { cause: error });
      }
    }
  } finally {
    for (const opened of terminals.values()) opened.kill();
  }
}

/** Replaces each line with `…` by the one that a terminal shows. */
function copied(code, terminals) {
  const lines = code.split('\n').map((line) => {
    if (!line.includes('…')) return line;
    const found = terminals.map((each) => each.find(patternOf(line))).findLast((each) => each !== undefined);
    if (found === undefined) throw new Error(`no terminal shows ${words(line)}`);
    return found;
  });
  return lines.join('\n');
}

async function answers(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
}
