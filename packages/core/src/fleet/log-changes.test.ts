import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@mcr/client';
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

  it('PV-4: warns of each wording of a problem once, until the cluster is without one', () => {
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
});
