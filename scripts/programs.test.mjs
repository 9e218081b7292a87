import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './published-packages.mjs';

/*
 * Every program of a published package documents its flags and refuses wrong ones. The programs are run, and their help is read
 * as a user reads it, so that a new program, command or flag is checked without a change here.
 */

/** Shells run it, not users: its arguments are a command line that is not complete. */
const PROTOCOLS = ['kubectl_complete-mcr'];

/** Deadline of a run on a busy machine, in milliseconds. */
const TIMEOUT = 60_000;

/** The programs, each with its source file. Two names of one file are one program. */
function programs() {
  const directory = join(root, 'packages');
  const found = readdirSync(directory).flatMap((folder) => {
    const { bin = {}, exports } = JSON.parse(readFileSync(join(directory, folder, 'package.json'), 'utf8'));
    return Object.entries(bin)
      .filter(([name]) => !PROTOCOLS.includes(name))
      .map(([name, built]) => {
        const entry = Object.values(exports).find((each) => each.default === built);
        return { name, file: join(directory, folder, entry['@mcr/source']) };
      });
  });
  return found.filter(({ file }, at) => found.findIndex((each) => each.file === file) === at);
}

/** Runs a program without a terminal. */
function run({ file, path }, ...args) {
  const command = ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning', file, ...path, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { timeout: TIMEOUT }, (_error, out, err) =>
      resolve({ out, err, status: child.exitCode }),
    );
  });
}

/** Returns the entries of a section of a help, each with its text in one line. */
function entriesOf(help, section) {
  const lines = help.split('\n');
  const start = section === undefined ? -1 : lines.indexOf(section);
  if (section !== undefined && start < 0) return [];
  const entries = [];
  for (const line of lines.slice(start + 1)) {
    const [, term, text] = /^ {2}(\S(?:.*?\S)?)(?: {2,}(.*))?$/u.exec(line) ?? [];
    if (term !== undefined) entries.push({ term, text: text ?? '' });
    else if (/^ {3,}\S/u.test(line) && entries.length > 0) entries.at(-1).text += ` ${line.trim()}`;
    else if (section !== undefined) break;
  }
  return entries.map(({ term, text }) => ({ term, text: text.trim() }));
}

/** Returns a command and those below it, each with its help. */
async function commandsOf(program, path = []) {
  const command = { ...program, path, help: (await run({ ...program, path }, '--help')).out };
  const below = [];
  for (const { term } of entriesOf(command.help, 'Commands:')) {
    const [name] = term.split(/[ |]/u);
    if (name !== 'help') below.push(...(await commandsOf(program, [...path, name])));
  }
  return [command, ...below];
}

/** Returns the options of a command. The help of `parseArgs` programs has no sections. */
function optionsOf({ help }) {
  const section = help.includes('\nOptions:\n') ? 'Options:' : undefined;
  return entriesOf(help, section).filter(({ term }) => term.startsWith('-'));
}

describe.each(programs())('the flags of $name', (program) => {
  let commands;

  it('WB-4: each command has a help', async () => {
    commands = await commandsOf(program);
    for (const { path, help } of commands) expect([path, help]).toEqual([path, expect.stringMatching(/^usage: /iu)]);
  });

  it('WB-4: each flag has a description, and each flag with a value says what happens without it', () => {
    for (const command of commands) {
      const usage = command.help.slice(0, command.help.indexOf('\n'));
      for (const { term, text } of optionsOf(command)) {
        const where = [...command.path, term];
        expect([where, text]).toEqual([where, expect.stringMatching(/^[a-zA-Z]/u)]);
        const isRequired = usage.includes(` ${term}`);
        if (term.includes('<') && !isRequired)
          expect([where, text]).toEqual([where, expect.stringMatching(/default: |required/iu)]);
      }
    }
  });

  it('WB-4: an unknown flag exits with 2, and names the nearest one', async () => {
    for (const command of commands) {
      const flags = optionsOf(command).flatMap(({ term }) => /--[\w-]{4,}/u.exec(term)?.[0] ?? []);
      // The longest flag without its last but one letter is similar to no other.
      const [longest] = flags.sort((a, b) => b.length - a.length);
      const wrong = longest.slice(0, -2) + longest.slice(-1);
      const { err, status } = await run(command, wrong);
      const where = [...command.path, wrong];
      expect([where, status]).toEqual([where, 2]);
      expect(err.split('\n').slice(0, 3).join('\n')).toContain(wrong);
      if (longest !== '--help')
        expect([where, err]).toEqual([where, expect.stringContaining(`(Did you mean ${longest}?)`)]);
    }
  });
});
