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
});
