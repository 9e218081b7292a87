import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { text } from 'node:stream/consumers';
import { eventually } from '@mcr/core/testing';
import { HAS_TERMINAL, Terminal } from './command/terminal.fixture.ts';

const ARGS = ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'mcr.ts')];
const COMMAND = [process.execPath, ...ARGS].map((word) => `'${word}'`).join(' ');
/** Time for a program to start and to end on a busy machine, in milliseconds. */
const PATIENCE = { deadline: 60_000 };
const LONG_REASON = 'a reason that is much longer than a line of a narrow terminal. '.repeat(3).trimEnd();

/** Variables that decide about colours. */
const COLOR_VARIABLES =
  /^(?:NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|CI|TEAMCITY_VERSION|TMUX|COLORTERM|TERM_PROGRAM)$/;

/** The environment of a terminal that has colours, unless the settings say otherwise. */
function environment(settings: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !COLOR_VARIABLES.test(name));
  return { ...Object.fromEntries(others), TERM: 'xterm', ...settings };
}

describe('the program mcr', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/never') return;
      const clusters = Array.from({ length: 2000 }, (_, at) => ({
        ...{ name: `member-${at}`, phase: 'Engaged', since: 0, reason: LONG_REASON, sources: {}, objects: 0 },
        ...{ reconciles: 0, errors: 0, history: [] },
      }));
      response.end(JSON.stringify({ clusters }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const start = (...args: string[]): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [...ARGS, ...args], { env: environment() });

  async function exitCode(child: ChildProcessWithoutNullStreams): Promise<number | null> {
    await once(child, 'close');
    return child.exitCode;
  }

  it.each([
    [0, ['fleet', 'list', 'member-1']],
    [0, ['fleet', '--help']],
    [1, ['fleet', 'list', 'no-such-member']],
    [1, ['fleet', 'describe', 'no-such-member']],
    [2, ['fleet', 'chekc']],
    [2, ['fleet', 'list', '--no-such-flag']],
  ])('WB-5: exits with %d after mcr %j', async (code, args) => {
    const child = start(...args, ...(args.includes('--help') ? [] : ['--url', url]));
    child.stdout.resume();
    child.stderr.resume();
    expect(await exitCode(child)).toBe(code);
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('WB-5: mcr fleet watch ends with %s, and exits with %d', async (signal, code) => {
    const child = start('fleet', 'watch', '--url', url);
    const errors = text(child.stderr);
    await once(child.stdout, 'data');
    child.stdout.resume();
    child.kill(signal);
    expect(await exitCode(child)).toBe(code);
    expect(await errors).toBe('');
  });

  it('WB-5: a signal ends a command that waits for an answer, without an error', async () => {
    const asked = once(server, 'request');
    const child = start('fleet', '--url', `${url}/never`);
    const errors = text(child.stderr);
    child.stdout.resume();
    await asked;
    child.kill('SIGINT');
    expect(await exitCode(child)).toBe(130);
    expect(await errors).toBe('');
  });

  it.each([['list'], ['watch']])('WB-5: mcr fleet %s ends when the reader of its output has gone', async (command) => {
    const child = start('fleet', command, '--url', url);
    const errors = text(child.stderr);
    await once(child.stdout, 'readable');
    child.stdout.destroy();
    expect(await exitCode(child)).toBe(141);
    expect(await errors).toBe('');
  });

  it('WB-5: prints neither colours nor cut lines to a pipe', async () => {
    const child = start('fleet', '--url', url);
    const out = await text(child.stdout);
    expect(stripVTControlCharacters(out)).toBe(out);
    expect(out.split('\n').at(1)).toMatch(new RegExp(`${LONG_REASON}$`));
  });

  if (!HAS_TERMINAL) {
    it.skip('needs script of util-linux', () => undefined);
    return;
  }

  it.each([
    ['colours', {}, true],
    ['no colours with NO_COLOR', { NO_COLOR: '1' }, false],
    ['no colours with TERM=dumb', { TERM: 'dumb' }, false],
  ])('WB-5: shows %s on a terminal, and cuts lines to its width', async (_, settings, isColored) => {
    await using terminal = new Terminal(`${COMMAND} fleet --url ${url}`, {
      ...{ env: environment(settings), columns: 80 },
    });
    expect(await terminal.exited()).toBe(0);
    const plain = stripVTControlCharacters(terminal.shown);
    expect(plain !== terminal.shown).toBe(isColored);
    const lines = plain.split('\r\n').slice(0, -1);
    expect(lines).toHaveLength(2001);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(80);
    expect(lines[1]).toMatch(/…$/);
  });

  it('WB-5: Ctrl-C on a terminal ends mcr fleet watch with 130', async () => {
    await using terminal = new Terminal(`${COMMAND} fleet list -w member-1 --url ${url}`, { env: environment() });
    await eventually(() => expect(terminal.shown).toMatch(/member-1 .*Engaged/), PATIENCE);
    terminal.type('\u0003');
    expect(await terminal.exited()).toBe(130);
  });
});
