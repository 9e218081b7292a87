import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { guardedLogger } from './guarded-logger.ts';
import type { LogFields, Logger } from './logger.ts';

describe('guardedLogger', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('passes lines on, also those of children', () => {
    const lines: unknown[] = [];
    const logger = guardedLogger(recording(lines, {}));
    logger.info('started', { a: 1 });
    logger.child({ kind: 'Pod' }).error('failed');
    expect(lines).toEqual([
      ['info', 'started', { a: 1 }],
      ['error', 'failed', { kind: 'Pod' }],
    ]);
  });

  it.each(['debug', 'info', 'warn', 'error'] as const)('warns if %s throws', (level) => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const broken = (): never => {
      throw new Error(`disk full ${'x'.repeat(1_000)}`);
    };
    const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken, child: () => logger };
    guardedLogger(logger).child({})[level]('message');
    const [[warning] = []] = emitWarning.mock.calls;
    expect(warning).toMatch(/^a logger or failure handler threw: disk full x+/);
    expect(String(warning).length).toBeLessThan(300);
  });
});

it('warns if an asynchronous logger rejects, and the process continues', async () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const broken = ((): unknown => Promise.reject(new Error('disk full'))) as () => undefined;
  const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken, child: () => logger };
  guardedLogger(logger).info('message');
  await new Promise((resolve) => setImmediate(resolve));
  expect(emitWarning.mock.calls.map(([warning]) => warning)).toEqual(['a logger or failure handler threw: disk full']);
  emitWarning.mockRestore();
});

function recording(lines: unknown[], parent: LogFields): Logger {
  const line = (level: string) => (message: string, fields?: LogFields) =>
    lines.push([level, message, { ...parent, ...fields }]);
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: (fields) => recording(lines, { ...parent, ...fields }),
  };
}
