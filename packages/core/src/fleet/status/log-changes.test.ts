import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, type Logger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { createFleet } from './create-fleet.ts';
import { logChanges } from './log-changes.ts';

describe('logChanges', () => {
  const lines: string[] = [];
  const at = (level: string) => (_: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(`${level}: ${String(fields?.['reason'])}`);
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  beforeEach(() => void lines.splice(0));

  it('PV-4: warns about each problem once, until the cluster has none', () => {
    const { recorder } = createFleet({ clock: new VirtualClock(), onChange: logChanges(logger) });
    const fails = (reason: string) => recorder.phase('eu-1', 'Unreachable', reason, new Error(reason));
    for (const reason of ['refused', 'reset', 'refused', 'reset']) fails(reason);
    recorder.phase('eu-1', 'Engaged', 'synced');
    fails('refused');
    expect(lines).toEqual([
      'warn: refused',
      'warn: reset',
      'debug: refused',
      'debug: reset',
      'info: synced',
      'warn: refused',
    ]);
  });

  it('S-11: warns about a refusal once for each status, whatever its message is', () => {
    const { recorder } = createFleet({ clock: new VirtualClock(), onChange: logChanges(logger) });
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const error = new ApiError({ code: attempt % 2 ? 500 : 503, message: `attempt ${attempt}` });
      recorder.phase('eu-1', 'Unreachable', error.message, new Error(error.message, { cause: error }));
    }
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual(['warn: attempt 0', 'warn: attempt 1']);
  });

  it('S-11: limits the warnings about a cluster whose problem keeps changing', () => {
    const { recorder } = createFleet({ clock: new VirtualClock(), onChange: logChanges(logger) });
    for (let attempt = 0; attempt < 100; attempt += 1) {
      recorder.phase('eu-1', 'Unreachable', `attempt ${attempt}`, new Error(`attempt ${attempt}`));
    }
    expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(20);
  });
});
