import { expect, it } from '@jest/globals';
import { peersWith } from './peers.ts';
import type { Run } from './rows.ts';
import { rows } from './rows.ts';
import { replaceSection, tableOf } from './table.ts';

const peers = peersWith({ rust: 'cargo is not installed' });
const step = { ms: 10, cpu: 0.5, rss: 50e6 };
const run = (ms: number, clusters = 1): Run => ({
  steps: [step, { ms, cpu: 1, rss: 150e6 }],
  ...{ clusters, objects: 100, updates: 0, relists: 0, server: 0 },
});

it('shows medians, one figure for each variant, and a dash for peers without runs', () => {
  const row = rows.filter(({ id }) => id === 'sync-pods')[0];
  const [mcr, go] = peers;
  if (!row || !mcr || !go) throw new Error('sync-pods, mcr and controller-runtime must exist');
  const runs = new Map([
    [mcr, new Map([['', [run(30), run(10), run(20)]]])],
    [
      go,
      new Map([
        ['protobuf', [run(40)]],
        ['JSON', [run(12_345)]],
      ]),
    ],
  ]);
  const lines = tableOf([{ row, runs }], peers).split('\n');
  expect(lines[2]?.split(/ *\| */u)).toEqual([
    '',
    'sync 100,000 Pods, ms',
    '20',
    'protobuf 40; JSON 12,300',
    '–',
    '–',
    '–',
    '',
  ]);
  expect(lines[4]).toContain('1,000.0');
});

it('marks figures that are extrapolated from fewer clusters', () => {
  const row = rows.filter(({ id }) => id === 'engage')[0];
  const [mcr, go] = peers;
  if (!row || !mcr || !go) throw new Error('engage, mcr and controller-runtime must exist');
  const runs = new Map([
    [mcr, new Map([['', [run(3_000, 1_000)]]])],
    [go, new Map([['JSON', [run(5_000, 50)]]])],
  ]);
  expect(tableOf([{ row, runs }], peers).split('\n')[2]).toContain('| 3,000 | JSON about 100,000 |');
});

it('replaces the previous table and keeps everything else', () => {
  const first = replaceSection('# Results\n\nOther figures.\n', 'first');
  expect(first).toMatch(/^# Results\n\nOther figures\.\n\n<!-- peers.*\n\nfirst\n/u);
  expect(replaceSection(`${first}\nMore.\n`, 'second')).toBe(`${first.replace('first', 'second')}\nMore.\n`);
});
