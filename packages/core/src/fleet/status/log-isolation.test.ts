import { beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, type Logger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { createFleet } from './create-fleet.ts';
import type { Fleet } from './fleet.ts';
import { logIsolation } from './log-isolation.ts';

describe('logIsolation', () => {
  let lines: string[];
  let clock: VirtualClock;
  let fleet: Fleet;
  beforeEach(() => {
    lines = [];
    clock = new VirtualClock();
    const at = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
      void lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
    const logger: Logger = { ...silentLogger, debug: at('debug'), info: at('info') };
    fleet = createFleet({ clock, onIsolation: logIsolation(logger, clock) });
    for (const name of ['eu-1', 'eu-2']) fleet.recorder.phase(name, 'Engaged', 'all watches have synced');
  });

  const slow = (name = 'eu-1') =>
    fleet.recorder.isolated(name, { state: 'slow', reason: 'no response to GET within 1000 ms' });
  const over = (name = 'eu-1') => fleet.recorder.isolated(name, undefined);

  it('FP-2: logs which cluster is slow and why, and when it is no longer slow', async () => {
    slow();
    await clock.advance(60_000.4);
    over();
    expect(lines).toEqual([
      'info: cluster is slow {"cluster":"eu-1","reason":"no response to GET within 1000 ms"}',
      'info: cluster is no longer slow {"cluster":"eu-1","duration":60000}',
    ]);
  });

  it('S-11: logs a cluster that is slow every now and then once in ten minutes', async () => {
    for (let minute = 0; minute < 15; minute += 1) {
      slow();
      over();
      await clock.advance(60_000);
    }
    slow('eu-2');
    const counts = ['info', 'debug'].map((level) => lines.filter((line) => line.startsWith(level)).length);
    expect(counts).toEqual([2 * 2 + 1, 13 * 2]);
  });

  it('FP-2: does not log the end when the cluster is parked, which is a separate problem', () => {
    slow();
    fleet.recorder.isolated('eu-1', { state: 'parked', reason: 'no answer to a ping within 1000 ms' });
    over();
    expect(lines).toHaveLength(1);
  });

  it('FP-2: a slow cluster that is disengaged is no longer slow', () => {
    slow();
    fleet.recorder.phase('eu-1', 'Disengaged', 'it was removed');
    expect(lines.at(-1)).toBe('info: cluster is no longer slow {"cluster":"eu-1","duration":0}');
  });
});
