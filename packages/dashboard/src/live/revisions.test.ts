import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClustersEvent } from '../protocol.ts';
import { type Chunk, Revisions } from './revisions.ts';

interface Received {
  readonly rows: Map<string, string>;
  revision: number;
}

/** Reads events as a page does. @param limit maximum number of events. */
function read(revisions: Revisions, viewer: Received, limit = Infinity): ClustersEvent[] {
  const events: ClustersEvent[] = [];
  for (let chunk; events.length < limit && (chunk = revisions.after(viewer.revision));) {
    const event = eventOf(chunk);
    if (event.reset) viewer.rows.clear();
    for (const name of event.removed) viewer.rows.delete(name);
    for (const row of event.rows) viewer.rows.set(row.name, row.reason);
    viewer.revision = chunk.revision;
    events.push(event);
  }
  return events;
}

function eventOf({ text }: Chunk): ClustersEvent {
  return JSON.parse(/^event: clusters\ndata: (.*)\n\n$/u.exec(text)?.[1] ?? '') as ClustersEvent;
}

const json = (name: string, reason: string) => JSON.stringify({ name, reason });
const viewer = (): Received => ({ rows: new Map(), revision: -1 });

describe('the revisions of rows', () => {
  it('WB-8: sends a snapshot, and then only what has changed', () => {
    const revisions = new Revisions();
    const page = viewer();
    expect(read(revisions, page)).toEqual([{ reset: true, complete: true, removed: [], rows: [] }]);
    revisions.set('a', json('a', 'one'));
    revisions.set('b', json('b', 'one'));
    expect(read(revisions, page)[0]?.rows.map(({ name }) => name)).toEqual(['a', 'b']);
    revisions.set('a', json('a', 'two'));
    revisions.set('a', json('a', 'three'));
    revisions.set('b', json('b', 'one'));
    revisions.set('c', undefined);
    expect(read(revisions, page)).toEqual([{ complete: true, removed: [], rows: [{ name: 'a', reason: 'three' }] }]);
    expect(revisions.after(page.revision)).toBeUndefined();
    revisions.set('b', undefined);
    expect(read(revisions, page)).toEqual([{ complete: true, removed: ['b'], rows: [] }]);
    expect(revisions.names()).toEqual(['a']);
  });

  it('WB-8: viewers at the same revision share one event', () => {
    const revisions = new Revisions();
    revisions.set('a', json('a', 'one'));
    expect(revisions.after(-1)).toBe(revisions.after(-1));
  });

  it('WB-8: splits a snapshot into events of bounded size, which changes do not disturb', () => {
    const revisions = new Revisions();
    for (let index = 0; index < 2_000; index += 1) revisions.set(`c${index}`, json(`c${index}`, 'x'.repeat(200)));
    const page = viewer();
    const [first] = read(revisions, page, 1);
    expect(first?.complete).toBe(false);
    expect(JSON.stringify(first).length).toBeLessThan(70 * 1024);
    revisions.set('c0', json('c0', 'new'));
    revisions.set('c1', undefined);
    revisions.set('c1999', undefined);
    const rest = read(revisions, page);
    expect(rest.filter(({ reset }) => reset)).toEqual([]);
    expect(rest.at(-1)?.complete).toBe(true);
    expect(page.rows.size).toBe(1_998);
    expect(page.rows.get('c0')).toBe('new');
  });

  it('WB-8: a viewer that may have missed a removal gets a new snapshot', () => {
    const revisions = new Revisions();
    for (let index = 0; index < 1_500; index += 1) revisions.set(`c${index}`, json(`c${index}`, 'one'));
    const page = viewer();
    read(revisions, page);
    for (let index = 0; index < 1_400; index += 1) revisions.set(`c${index}`, undefined);
    const [event] = read(revisions, page);
    expect(event?.reset).toBe(true);
    expect(page.rows.size).toBe(100);
  });

  it('WB-8: viewers of any speed end with the same rows', () => {
    const change = fc.record({
      name: fc.nat(30).map((n) => `c${n}`),
      reason: fc.option(fc.string(), { nil: undefined }),
    });
    const step = fc.oneof(change, fc.constant('read' as const), fc.constant('read one' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const revisions = new Revisions();
        const expected = new Map<string, string>();
        const page = viewer();
        for (const each of steps) {
          if (each === 'read' || each === 'read one') {
            read(revisions, page, each === 'read' ? Infinity : 1);
            continue;
          }
          const { name, reason } = each;
          revisions.set(name, reason === undefined ? undefined : json(name, reason));
          if (reason === undefined) expected.delete(name);
          else expected.set(name, reason);
        }
        read(revisions, page);
        expect([...page.rows].sort()).toEqual([...expected].sort());
      }),
    );
  });
});
