import { describe, expect, it } from '@jest/globals';
import { ObjectShapeError } from './object-shape-error.ts';
import { packObjects } from './pack-objects.ts';
import { unpacked, unpackedOf } from './unpacked.fixture.ts';

describe('packObjects', () => {
  it('PC-1: packs decoded objects with their envelopes', () => {
    const objects = [
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'b', uid: 'c', labels: { x: 'y' } } },
      { metadata: { name: 'é"\\', resourceVersion: '1', deletionTimestamp: null }, large: 9007199254740993n },
    ];
    expect(unpacked(packObjects('ADDED', objects))).toEqual(objects.map((object) => unpackedOf('ADDED', object)));
    expect(packObjects('listed', [])).toMatchObject({ length: 0 });
  });

  it('PC-1: refuses what is not an object with a name', () => {
    expect(() => packObjects('listed', [{ metadata: { name: 'a' } }, { metadata: {} }])).toThrow(
      new ObjectShapeError('objects[1].metadata.name is missing'),
    );
    expect(() => packObjects('listed', [undefined])).toThrow('objects[0] is null, expected an object');
  });

  it.each(['name', 'namespace', 'uid', 'resourceVersion'])(
    'PC-1: refuses half of a surrogate pair in %s, because different texts would become one',
    (field) => {
      const withText = (text: string) => packObjects('listed', [{ metadata: { name: 'a', [field]: text } }]);
      expect(() => withText('\ud800')).toThrow(
        new ObjectShapeError(`objects[0].metadata.${field} is not valid Unicode: it has half of a surrogate pair`),
      );
      expect(withText('\u{1f600}').length).toBe(1);
    },
  );
});
