import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ResourceStore } from './resource-store.ts';
import type { StoredObject } from './stored-object.ts';
import { storeObject } from './stored-object.ts';

fc.configureGlobal({ seed: 1 });

function stored(namespace: string, name: string, version: number): StoredObject {
  const metadata = {
    namespace,
    name,
    uid: `${namespace}/${name}`,
    resourceVersion: String(version),
    creationTimestamp: '',
  };
  return storeObject('things', { kind: 'Thing', apiVersion: 'v1', metadata });
}

/** Writes to a few objects: creates, changes or deletes one, whichever is possible. */
const writes = fc.array(
  fc.record({
    namespace: fc.constantFrom('a', 'a-b', 'b'),
    name: fc.constantFrom('x', 'y', 'z'),
    deletes: fc.boolean(),
  }),
  { maxLength: 60 },
);

describe('resource store', () => {
  it('K-3: returns the objects of every version in its history', () => {
    fc.assert(
      fc.property(writes, fc.integer({ min: 1, max: 70 }), (sequence, historyLimit) => {
        const store = new ResourceStore(historyLimit);
        const expected: string[][] = [[]];
        for (const [index, { namespace, name, deletes }] of sequence.entries()) {
          const object = stored(namespace, name, index + 1);
          const previous = store.get(object.key);
          if (deletes && previous) store.apply({ type: 'DELETED', object, previous });
          else store.apply({ type: previous ? 'MODIFIED' : 'ADDED', object, previous });
          expected.push(store.list('').map(({ key, version }) => `${key}@${version}`));
        }
        for (let version = store.log.compactedVersion; version < expected.length; version++) {
          const found = store.listAt(version, '');
          expect(found.map((object) => `${object.key}@${object.version}`)).toEqual(expected[version]);
          expect(found.map(({ key }) => key)).toEqual(found.map(({ key }) => key).sort());
          const ofA = found.filter(({ namespace }) => namespace === 'a');
          expect(store.listAt(version, 'a')).toEqual(ofA);
        }
      }),
    );
  });

  it('keeps as many events as its limit', () => {
    const store = new ResourceStore(3);
    for (let version = 1; version <= 5000; version++) {
      const object = stored('a', 'x', version);
      store.apply({ type: version === 1 ? 'ADDED' : 'MODIFIED', object, previous: store.get(object.key) });
    }
    expect(store.log.compactedVersion).toBe(4997);
    expect(store.log.at(store.log.positionAfter(4997))?.object.version).toBe(4998);
    expect(store.log.holds(store.log.end - 3)).toBe(true);
    expect(store.log.holds(store.log.end - 4)).toBe(false);
  });
});
