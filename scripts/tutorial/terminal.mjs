// Terminals in which a tutorial runs: bash, with the folder and the variables that earlier commands left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { patternOf, words } from './steps.mjs';

/** Time for a command to end, or to print what the tutorial shows, in milliseconds. */
const DEADLINE = 120_000;
const POLL = 50;

/** One terminal. */
export class Terminal {
  #output = '';
  /** Number of lines that the tutorial has shown. */
  #shown = 0;
  #child;
  #hasEnded = false;
  #isOrdered = false;

  /** @param {{ readonly state: string, readonly env: NodeJS.ProcessEnv }} options `state` is a file for variables and the folder. */
  constructor({ state, env }) {
    this.state = state;
    this.env = env;
  }

  get lines() {
    return stripVTControlCharacters(this.#output).split(/\r?\n/u);
  }

  /** Starts commands, and returns when they have ended. The terminal keeps their folder and variables. */
  async run(code) {
    // Earlier lines are not the output of these commands.
    this.#shown = this.lines.length - 1;
    this.#isOrdered = true;
    this.start(`${code}\n{ declare -px; printf 'cd %q\\n' "$PWD"; } > ${quoted(this.state)}`);
    const [status, signal] = await this.#ended();
    if (status !== 0) throw new Error(`${code.trim()}\nexit code ${status ?? signal}:\n${this.#output}`);
  }

  /** Starts commands. */
  start(code) {
    const child = spawn('bash', ['-c', `. ${quoted(this.state)}\nset -e\n${code}`], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group, as a terminal has one.
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.#output += text));
    }
    this.#hasEnded = false;
    child.once('close', () => (this.#hasEnded = true));
    this.#child = { child, closed: once(child, 'close') };
  }

  /** Ends the commands as Ctrl-C does. */
  async interrupt() {
    this.#signal('SIGINT');
    await this.#ended();
  }

  /** Ends whatever runs. */
  kill() {
    this.#signal('SIGKILL');
  }

  /** Waits until the terminal shows the lines, which are in order if the commands have ended. */
  async shows(lines) {
    const deadline = performance.now() + DEADLINE;
    for (;;) {
      const isOver = this.#hasEnded || performance.now() > deadline;
      const missing = this.#advance(lines);
      if (missing === undefined) return;
      if (isOver) throw new Error(`no line "${missing}" in its place in:\n${this.#output}`);
      await sleep(POLL);
    }
  }

  /** Returns the last line that matches. */
  find(pattern) {
    return this.lines.findLast((line) => pattern.test(words(line)));
  }

  /** Passes the lines if all of them are there, or returns the first that is not. */
  #advance(lines) {
    const printed = this.lines;
    let [from, passed] = [this.#shown, this.#shown];
    for (const line of lines) {
      const pattern = patternOf(line);
      const found = printed.findIndex((each, index) => index >= from && pattern.test(words(each)));
      if (found === -1) return line;
      passed = Math.max(passed, found + 1);
      if (this.#isOrdered) from = passed;
    }
    this.#shown = passed;
    return undefined;
  }

  async #ended() {
    const timer = setTimeout(() => this.kill(), DEADLINE);
    try {
      return await this.#child.closed;
    } finally {
      clearTimeout(timer);
    }
  }

  #signal(name) {
    const { pid } = this.#child?.child ?? {};
    try {
      if (pid !== undefined) process.kill(-pid, name);
    } catch (error) {
      // The group has ended.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** Writes the state of a terminal that opens in the folder of another one. */
export function openIn(state, folder) {
  writeFileSync(state, `cd ${quoted(folder)}\n`);
}

/** Returns the folder of a terminal. */
export function folderOf({ state }) {
  const [, folder] =
    /^cd (.*)$/mu.exec(
      readFileSync(state, 'utf8')
        .split('\n')
        .findLast((line) => line.startsWith('cd ')),
    ) ?? [];
  return folder.replace(/^'|'$/gu, '');
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
