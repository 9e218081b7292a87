import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import type { PlacementStatusOptions } from './placement-status.ts';
import { placementStatus } from './placement-status.ts';
import type { PlacementEntry } from './placement-record.ts';
import { entriesOf, entryOf, fieldOf, fieldsOf, recordKey, textOf, unusedFields } from './placement-record.ts';

const clock = new VirtualClock();
const entry = (cluster: string, state: PlacementEntry['state'] = 'Placed', more: Partial<PlacementEntry> = {}) => ({
  cluster,
  state,
  observedGeneration: '2',
  ...more,
});
const statusOf = (entries: PlacementEntry[], more: Partial<PlacementStatusOptions> = {}) =>
  placementStatus({ entries, current: '2', generation: 2, isDeleting: false, isAway: () => false, clock, ...more });
const summary = (...args: Parameters<typeof statusOf>) => {
  const [condition] = statusOf(...args).conditions;
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
};

describe('placementStatus', () => {
  it.each<[string, PlacementEntry[], Partial<PlacementStatusOptions>]>([
    ['False NoClusters: no cluster is selected', [], {}],
    ['True AllPlaced: 2 of 2 clusters up to date', [entry('a'), entry('b')], {}],
    [
      'False Placing: 1 of 2 clusters up to date; pending: b',
      [entry('a'), entry('b', 'Placed', { observedGeneration: '1' })],
      {},
    ],
    ['False SomeFailed: 1 of 2 clusters up to date; pending: b', [entry('a'), entry('b', 'Failed')], {}],
    ['True AllPlaced: 1 of 1 cluster up to date', [entry('a')], { isAway: () => true }],
    [
      'False SomeFailed: 0 of 1 cluster up to date; pending: a',
      [entry('a', 'Placed', { observedGeneration: '1' })],
      { isAway: () => true },
    ],
    ['False Deleting: objects are being deleted from 1 cluster: a', [entry('a')], { isDeleting: true }],
  ])('FP-4: reports %s', (expected, entries, more) => {
    expect(summary(entries, more)).toBe(expected);
  });

  it('FP-4: lists at most 100 clusters, failed ones first, and names three in the message', () => {
    const entries = Array.from({ length: 250 }, (_, index) =>
      entry(`c-${String(index).padStart(3, '0')}`, index < 200 ? 'Placing' : 'Failed', { message: 'denied' }),
    );
    const { clusters } = statusOf(entries);
    expect([clusters.length, clusters[0], clusters[50]?.reason]).toEqual([
      100,
      { name: 'c-200', reason: 'Failed', message: 'denied' },
      'Placing',
    ]);
    expect(summary(entries)).toContain('0 of 250 clusters up to date; pending: c-200, c-201, c-202 and 247 more');
  });

  it('FP-4: takes at most 100 KiB, whatever the messages in the record are', () => {
    const entries = Array.from({ length: 1_000 }, (_, index) =>
      entry(`c-${index}`, 'Failed', { message: 'ä'.repeat(10_000) }),
    );
    expect(Buffer.byteLength(JSON.stringify(statusOf(entries)))).toBeLessThan(100 * 1_024);
  });

  it('FP-4: keeps the time of the last transition while the status of the condition is the same', async () => {
    const [first] = statusOf([entry('a')]).conditions;
    await clock.advance(60_000);
    const [same] = statusOf([entry('a'), entry('b')], { present: first }).conditions;
    const [other] = statusOf([entry('a', 'Failed')], { present: first }).conditions;
    expect(same?.lastTransitionTime).toBe(first?.lastTransitionTime);
    expect(other?.lastTransitionTime).not.toBe(first?.lastTransitionTime);
  });
});

describe('the record of a placement', () => {
  const owner = { hub: 'h', apiVersion: 'v1', kind: 'Shop', namespace: 'shops', name: 'a', uid: 'u' };
  const record = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', uid: 'x', resourceVersion: '1', creationTimestamp: '' },
    data,
  });

  it('FP-4: is in the namespace of the owner, and differs by controller, hub and uid', () => {
    const key = recordKey('one', owner, undefined);
    expect(key).toEqual({ namespace: 'shops', name: expect.stringMatching(/^mcr-placement-[0-9a-f]{40}$/) });
    const others = [
      recordKey('two', owner, undefined),
      recordKey('one', { ...owner, hub: 'other' }, undefined),
      recordKey('one', { ...owner, uid: 'other' }, undefined),
    ];
    expect(new Set([key, ...others].map(({ name }) => name)).size).toBe(4);
    expect(recordKey('one', { ...owner, namespace: '' }, 'fleet').namespace).toBe('fleet');
  });

  it('FP-4: has a valid field for each name of a cluster', () => {
    const names = ['eu-1', 'a/b', 'a#b', '..', '_x', 'x'.repeat(300), 'é'];
    const fields = names.map(fieldOf);
    expect(new Set(fields).size).toBe(names.length);
    for (const field of fields) expect(field).toMatch(/^(?!\.\.?$)[-._a-zA-Z0-9]{1,253}$/);
    const data = Object.fromEntries(names.map((name) => [fieldOf(name), textOf(entry(name))]));
    expect(entriesOf(record(data)).map(({ cluster }) => cluster)).toEqual([...names].sort());
  });

  it('FP-4: keeps the names of objects once for all clusters, and believes no names that were changed', () => {
    const objects = ['ConfigMap default/a', 'Secret default/b'];
    const data = { ...fieldsOf({ ...entry('a'), objects }), ...fieldsOf({ ...entry('b'), objects }) };
    expect(Object.keys(data)).toHaveLength(3);
    expect(entriesOf(record(data)).map((found) => found.objects)).toEqual([objects, objects]);
    expect(unusedFields(record({ ...data, '_objects.other': '[]' }))).toEqual(['_objects.other']);
    const [names = ''] = Object.keys(data).filter((field) => field.startsWith('_objects.'));
    expect(entryOf(record({ ...data, [names]: '["Namespace kube-system"]' }), 'a')).toEqual(entry('a'));
  });

  it.each(['', '{', '[]', 'null', '{"cluster":"a"}', '{"cluster":"a","state":"Other","observedGeneration":""}'])(
    'FP-4: treats the invalid field %j as a cluster that failed, so that it is not forgotten',
    (text) => {
      expect(entryOf(record({ a: text }), 'a')).toEqual({ cluster: 'a', state: 'Failed', observedGeneration: '' });
      expect(entriesOf(record({ a: text }))).toEqual([
        { cluster: 'a', state: 'Failed', observedGeneration: '', message: 'its placement record is not valid' },
      ]);
    },
  );
});
