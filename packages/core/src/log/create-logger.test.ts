import { afterEach, describe, expect, it } from '@jest/globals';
import { stripVTControlCharacters } from 'node:util';
import type { LoggerOptions } from './create-logger.ts';
import { createLogger } from './create-logger.ts';

/** Returns a logger and its output. */
function logging(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({ format: 'json', ...options, destination: { write: (line) => lines.push(line) } });
  return { logger, lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('createLogger', () => {
  const { MCR_LOG_FORMAT: variable } = process.env;
  afterEach(() => {
    if (variable === undefined) delete process.env['MCR_LOG_FORMAT'];
    else process.env['MCR_LOG_FORMAT'] = variable;
  });

  it('writes the format of MCR_LOG_FORMAT, unless the options have another one', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    process.env['MCR_LOG_FORMAT'] = 'pretty';
    createLogger({ destination }).info('first');
    createLogger({ destination, format: 'json' }).info('second');
    process.env['MCR_LOG_FORMAT'] = 'json';
    createLogger({ destination }).info('third');
    expect(lines.map((line) => line.startsWith('{'))).toEqual([false, true, true]);
    process.env['MCR_LOG_FORMAT'] = 'xml';
    expect(() => createLogger({ destination })).toThrow(
      'createLogger: environment variable MCR_LOG_FORMAT: expected "json" or "pretty", found "xml"',
    );
    expect(() => createLogger({ destination, format: 'json' })).not.toThrow();
  });

  it('writes one JSON object per line, with the fields of its parents', () => {
    const { logger, entries } = logging();
    logger.child({ controller: 'copy' }).child({ cluster: 'eu-1' }).info('reconciled', { ms: 3 });
    expect(entries()).toEqual([
      { level: 'info', time: expect.any(String), controller: 'copy', cluster: 'eu-1', ms: 3, message: 'reconciled' },
    ]);
  });

  it('does not write lines below its level', () => {
    const { logger, entries } = logging({ level: 'warn' });
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    expect(entries().map(({ message }) => message)).toEqual(['c', 'd']);
  });

  it('writes the messages of an error and its causes, but none of its other properties', () => {
    const { logger, entries } = logging();
    const cause = Object.assign(new RangeError('connection refused'), { headers: { authorization: 'Bearer canary' } });
    logger.error('cluster has a problem', { error: new Error('does not answer', { cause }) });
    expect(entries()[0]?.['error']).toEqual({
      name: 'Error',
      message: 'does not answer',
      cause: {
        name: 'RangeError',
        message: 'connection refused',
        stack: expect.stringContaining('create-logger.test'),
      },
    });
  });

  it('writes stacks at level debug, all errors of an aggregate, and each error of a cycle once', () => {
    const { logger, entries } = logging({ level: 'debug' });
    const cycle = new Error('round');
    cycle.cause = cycle;
    logger.debug('failed', { error: new AggregateError([new Error('one'), cycle], 'two failed') });
    expect(entries()[0]?.['error']).toMatchObject({
      stack: expect.stringContaining('create-logger.test'),
      errors: [{ message: 'one' }, { message: 'round', cause: { message: 'round' } }],
    });
  });

  it.each(['json', 'pretty'] as const)('S-15: escapes control and bidirectional characters (%s)', (format) => {
    const { logger, lines } = logging({ format });
    const hostile = 'x\n12:00:00.000 ERROR forged \u001b[2J\u009b2J\u202egnp\u2066';
    logger.info(hostile, { [hostile]: hostile, error: new Error(hostile, { cause: hostile }) });
    expect(lines).toHaveLength(1);
    expect(stripVTControlCharacters(lines[0]?.trimEnd() ?? '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines[0]).toContain(String.raw`\u202egnp\u2066`);
  });

  it('replaces a value that JSON cannot represent with a note, and writes the rest of the line', () => {
    const { logger, entries } = logging();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    logger.info('odd', { cycle, large: 2n ** 64n, nothing: undefined, nested: [new Error('inner')], error: 'text' });
    expect(entries()).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        cycle: '[not serializable as JSON]',
        large: '18446744073709551616',
        nested: [{ name: 'Error', message: 'inner' }],
        error: 'text',
        message: 'odd',
      },
    ]);
  });

  it('writes human-readable text', () => {
    const { logger, lines } = logging({ format: 'pretty' });
    logger.warn('cluster has a problem', { cluster: 'eu-1', error: new Error('a', { cause: new Error('b') }) });
    const plain = stripVTControlCharacters(lines.join(''));
    expect(plain).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}cluster has a problem {2}cluster="eu-1" error="a: b"\n$/);
  });
});
