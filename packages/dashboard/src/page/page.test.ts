import { describe, expect, it } from '@jest/globals';
import type { ClusterRow } from '../protocol.ts';
import { fragmentOf, viewOf } from './address.ts';
import { EventStream } from './event-stream.ts';
import { type Filter, selects } from './filter.ts';
import { Rows, sortRows } from './rows.ts';
import { bytes, clusterName, duration, rate, seconds, visible } from './text.ts';

const row = (name: string, fields: Partial<ClusterRow> = {}): ClusterRow => ({
  ...{ name, phase: 'Engaged', since: 1_000, reason: 'all sources have synced', objects: 1, reconciles: 1, errors: 0 },
  ...fields,
});

describe('the filter of clusters', () => {
  const rows = [
    row('', { labels: {} }),
    row('eu-1', { labels: { env: 'prod', zone: 'a' }, owner: 'copier-0' }),
    row('eu-2', { labels: { env: 'test' }, owner: 'copier-1', phase: 'Degraded', isolation: 'parked' }),
    row('us-1', { labels: { env: 'prod', canary: '' }, phase: 'Unreachable' }),
  ];
  const found = (filter: Partial<Filter>) =>
    rows.filter(selects({ name: '', labels: '', owner: '', phases: new Set(), ...filter })).map(({ name }) => name);

  it('WB-8: selects by a part of the name, in any case', () => {
    expect(found({ name: ' EU' })).toEqual(['eu-1', 'eu-2']);
    expect(found({ name: 'local' })).toEqual(['']);
    expect(found({})).toHaveLength(4);
  });

  it.each([
    ['env=prod', ['eu-1', 'us-1']],
    ['env==prod,!canary', ['eu-1']],
    ['env!=prod', ['', 'eu-2']],
    ['canary', ['us-1']],
    ['canary=', ['us-1']],
    ['env = test , zone', []],
    [',,', ['', 'eu-1', 'eu-2', 'us-1']],
    ['toString', []],
    ['__proto__', []],
  ])('WB-8: selects by the labels %s', (labels, expected) => expect(found({ labels })).toEqual(expected));

  it('WB-8: selects by phase, restriction and owner', () => {
    expect(found({ phases: new Set(['Unreachable', 'Degraded']) })).toEqual(['eu-2', 'us-1']);
    expect(found({ phases: new Set(['parked']) })).toEqual(['eu-2']);
    expect(found({ owner: 'copier-1' })).toEqual(['eu-2']);
  });
});

describe('the rows of the table', () => {
  const event = { complete: true, removed: [], rows: [] };

  it('WB-8: shows the first rows at once, and those of a reconnect when they are complete', () => {
    const rows = new Rows();
    expect(rows.apply({ ...event, reset: true, complete: false, rows: [row('a')] })).toBe(true);
    expect([rows.size, rows.isLoaded]).toEqual([1, false]);
    rows.apply({ ...event, rows: [row('b')] });
    expect([rows.size, rows.isLoaded]).toEqual([2, true]);
    expect(rows.apply({ ...event, reset: true, complete: false, rows: [row('c')] })).toBe(false);
    expect(rows.get('a')).toBeDefined();
    rows.apply({ ...event, removed: ['c'], rows: [row('d')] });
    expect(rows.all().map(({ name }) => name)).toEqual(['d']);
  });

  it('WB-8: sorts by each column, and then by name', () => {
    const all = [
      row('b', { errors: 2, since: 1 }),
      row('a', { errors: 2, since: 3, phase: 'Unreachable' }),
      row('c', { errors: 1, since: 2, phase: 'NewPhase' }),
    ];
    const names = (column: Parameters<typeof sortRows>[1]['column'], descending = false) =>
      sortRows([...all], { column, descending })
        .map(({ name }) => name)
        .join('');
    expect(names('name', true)).toBe('cba');
    expect(names('errors', true)).toBe('abc');
    expect(names('phase')).toBe('abc');
    expect(names('since')).toBe('acb');
    expect(names('lastError')).toBe('abc');
  });
});

describe('the texts of the page', () => {
  it('WB-9: shows characters that could hide or reorder a text', () => {
    expect(visible('a\u202Eb\u0000\n')).toBe(String.raw`a\u202eb\u0000\u000a`);
    expect(clusterName('')).toBe('(local)');
    expect(visible('<b>größe 🚀</b>')).toBe('<b>größe 🚀</b>');
  });

  it('WB-8: writes numbers with units', () => {
    expect([5_000, 119_999, 330_000, 7_200_000, 20_000_000, 100_000_000, 9e8, -5].map(duration)).toEqual([
      '5s',
      '119s',
      '5m30s',
      '120m',
      '5h33m',
      '27h',
      '10d',
      '0s',
    ]);
    expect([0, 0.042, 3.14159, 12_345].map(rate)).toEqual(['0/s', '0.04/s', '3.1/s', '12,345/s']);
    expect([0.000_012, 0.0123, 1.26, 300].map(seconds)).toEqual(['12 µs', '12 ms', '1.3 s', '5m0s']);
    expect([0, 1_536, 5 * 1024 ** 3].map(bytes)).toEqual(['0 B', '1.5 KiB', '5 GiB']);
  });
});

describe('the address of the page', () => {
  it('WB-8: keeps the whole view', () => {
    const view = {
      tab: 'errors',
      filter: { name: 'eu #1', labels: 'env=prod,!canary', owner: 'copier-0', phases: new Set(['Degraded', 'parked']) },
      sorting: { column: 'errors', descending: true },
      cluster: '<img src=x>&sort=name',
    } as const;
    expect(viewOf(fragmentOf(view))).toEqual(view);
    expect(viewOf(fragmentOf({ ...view, cluster: '' })).cluster).toBe('');
  });

  it('WB-8: ignores what it does not know', () => {
    const view = viewOf('#tab=secrets&sort=-toString&other=1');
    expect([view.tab, view.sorting.column, view.cluster]).toEqual(['clusters', 'name', undefined]);
    expect(fragmentOf(viewOf(''))).toBe('#');
  });
});

describe('the event stream', () => {
  it('WB-8: joins events that arrive in pieces', () => {
    const stream = new EventStream();
    const text = 'event: clusters\ndata: {"a":": b"}\n\nevent: overview\ndata: {}\n\n';
    const events = Array.from(text).flatMap((character) => stream.push(character));
    expect(events).toEqual([
      { type: 'clusters', data: '{"a":": b"}' },
      { type: 'overview', data: '{}' },
    ]);
  });
});
