import { describe, expect, it } from '@jest/globals';
import { stripVTControlCharacters } from 'node:util';
import { ApiError } from '@mcr/client';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import { TerminalError } from '../controller/reconcile/terminal-error.ts';
import type { LogLevel } from './create-logger.ts';
import { createLogger } from './create-logger.ts';

const FRAME = /error-lines\.test\.ts:\d+:\d+/;

interface Described {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Described;
  readonly errors?: readonly (Described | string)[];
}

/** Returns the error of a JSON line. */
function described(error: unknown, level: Exclude<LogLevel, 'debug'> = 'error'): Described {
  let text = '';
  createLogger({ format: 'json', destination: { write: (line) => (text = line) } })[level]('failed', { error });
  return (JSON.parse(text) as { error: Described }).error;
}

function pretty(error: unknown, level: Exclude<LogLevel, 'debug'> = 'error'): string[] {
  let text = '';
  createLogger({ format: 'pretty', destination: { write: (line) => (text = line) } })[level]('failed', { error });
  return stripVTControlCharacters(text).trimEnd().split('\n');
}

const mistake = () => {
  try {
    return (undefined as unknown as { spec: { replicas: number } }).spec.replicas;
  } catch (error) {
    return error as TypeError;
  }
};

describe('an error in a log line', () => {
  it.each(['info', 'warn', 'error'] as const)('RC-10: a programming error has its stack at level %s', (level) => {
    const error = mistake();
    expect(described(error, level).stack).toMatch(FRAME);
    const [line, frame] = pretty(error, level);
    expect(line).toMatch(/failed {2}error="TypeError: Cannot read properties of undefined \(reading 'spec'\)"$/);
    expect(frame).toMatch(/^ {4}at .*error-lines\.test\.ts:\d+:\d+/);
  });

  it('RC-10: an error without its own name has its stack in a line of level error', () => {
    expect(described(new Error('quota exceeded')).stack).toMatch(FRAME);
    expect(described(new Error('quota exceeded'), 'warn').stack).toBeUndefined();
  });

  it.each([
    ['a conflict', new ApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' })],
    ['a cluster that left', new ClusterNotFoundError('eu-1')],
    ['a system error', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['an error because of one of these', new Error('cannot copy', { cause: new ClusterNotFoundError('eu-1') })],
    ['an abort', AbortSignal.abort().reason],
    ['an error of a platform', new TypeError('fetch failed', { cause: new ClusterNotFoundError('eu-1') })],
  ])('RC-10: %s stays short', (_, error) => {
    expect(JSON.stringify(described(error))).not.toContain('"stack"');
    expect(pretty(error)).toHaveLength(1);
  });

  it('RC-10: the cause of an expected error has its stack, under its title', () => {
    const error = new TerminalError('cannot go on', { cause: mistake() });
    expect(described(error).cause?.stack).toMatch(FRAME);
    expect(pretty(error)[1]).toMatch(/^ {2}caused by TypeError: Cannot read/);
    expect(pretty(error)[2]).toMatch(FRAME);
  });

  it('RC-10: all errors of an aggregate are written, up to a limit', () => {
    const error = new AggregateError([mistake(), new ClusterNotFoundError('eu-1')], 'two failed');
    expect(described(error).errors).toMatchObject([
      { stack: expect.stringMatching(FRAME) },
      { message: 'cluster "eu-1" is not engaged' },
    ]);
    expect(pretty(error)[0]).toContain('AggregateError: two failed [TypeError: Cannot');
    expect(pretty(error)[0]).toContain('ClusterNotFoundError: cluster');
    const many = new AggregateError(Array.from({ length: 1_000 }, mistake), 'many failed');
    expect(described(many).errors).toHaveLength(11);
    expect(described(many).errors?.at(-1)).toBe('and 990 more');
  });

  it('S-11: is bounded, whatever the length of its message and stack', () => {
    const error = new RangeError('x'.repeat(10_000_000));
    error.stack = `RangeError\n${'    at f (file.ts:1:1)\n'.repeat(100_000)}    at ${'y'.repeat(1_000_000)}`;
    const before = process.threadCpuUsage();
    expect(described(error).message).toBe(`${'x'.repeat(1_021)}…`);
    expect(JSON.stringify(described(error)).length).toBeLessThan(8_000);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it.each([
    ['Authorization: Bearer s3cr3t-canary', 'Bearer [redacted]'],
    ['token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlX2NhbmFyeQ is bad', 'token [redacted] is bad'],
    ['cannot reach https://me:canary@example.com/path', 'https://[redacted]@example.com/path'],
    ['GET /a?access_token=canary&x=1', 'access_token=[redacted]&x=1'],
    ['{"password": "canary", "user": "me"}', '"password": "[redacted]", "user": "me"'],
    ['client-key-data: Y2FuYXJ5Y2FuYXJ5', 'client-key-data: [redacted]'],
    ['-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY----- follows', '[redacted] follows'],
    ['-----BEGIN PRIVATE KEY-----\ncanary', '[redacted]'],
  ])('S-4: redacts text that looks like a credential: %s', (text, shown) => {
    const error = new TypeError(text, {});
    error.stack = `TypeError: ${text}\n    at f (${text.replaceAll('\n', ' ')})`;
    const written = described(error);
    expect(written.message).toContain(shown);
    expect(JSON.stringify(written)).not.toMatch(/canary|Y2FuYXJ5|eyJzdWIi/);
    expect(pretty(error).join('\n')).not.toMatch(/canary|Y2FuYXJ5|eyJzdWIi/);
  });

  it('S-8: the frames of a stack cannot forge a line', () => {
    const error = new TypeError('bad');
    error.stack = 'TypeError: bad\n    at \u001b[2J\r12:00:00.000 ERROR forged (x)';
    expect(pretty(error)[1]).toBe('    at \\u001b[2J\\r12:00:00.000 ERROR forged (x)');
  });

  it('writes a thrown value that is not an error as text', () => {
    expect(described('just text')).toBe('just text');
    expect(described(Object.create(null))).toBe('[object Object]');
  });
});
