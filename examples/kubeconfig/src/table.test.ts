import { describe, expect, it } from '@jest/globals';
import type { ClusterStatus } from '@mcr/core';
import { fleetTable } from './table.ts';

const status = (cluster: Partial<ClusterStatus>): ClusterStatus => ({
  name: 'eu-1',
  phase: 'Engaged',
  since: 0,
  reason: 'all watches have synced',
  sources: {},
  objects: 12,
  reconciles: 34,
  errors: 0,
  history: [],
  ...cluster,
});
const table = (clusters: readonly ClusterStatus[], width = 200) =>
  fleetTable(clusters, { width, colours: 'none', now: 65_000 });

describe('the table of the fleet', () => {
  it('has a line for each cluster under its headings, in columns', () => {
    expect(table([status({ name: '' }), status({ name: 'us-1', phase: 'Unreachable', since: 62_000 })])).toEqual([
      'CLUSTER  PHASE        SINCE  OBJECTS  RECONCILES  ERRORS  REASON',
      '(hub)    Engaged      65s    12       34          0       all watches have synced',
      'us-1     Unreachable  3s     12       34          0       all watches have synced',
    ]);
  });

  it('cuts lines at the width of the terminal', () => {
    for (const line of table([status({})], 40)) expect(line.length).toBeLessThanOrEqual(40);
  });

  it('S-15: shows control and bidirectional characters as escapes', () => {
    const [, line] = table([status({ name: 'a\u202eb', reason: 'gone\u001b[2J\r\nfor\u2066 good\u009b31m' })]);
    expect(line).toContain(String.raw`a\u202eb`);
    expect(line).toContain(String.raw`gone\u001b[2J\u000d\u000afor\u2066 good\u009b31m`);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
