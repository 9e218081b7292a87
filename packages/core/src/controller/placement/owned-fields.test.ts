import { describe, expect, it } from '@jest/globals';
import { appliedFields, missingField, ownsAll } from './owned-fields.ts';

describe('ownsAll', () => {
  const port = 'k:{"port":80,"protocol":"TCP"}';

  it.each<[string, unknown, unknown]>([
    ['a scalar', { 'f:a': {} }, { a: 1 }],
    ['an empty map', { 'f:a': {} }, { a: {} }],
    ['a list with one owner as a whole', { 'f:a': {} }, { a: [{ b: 1 }] }],
    ['a map', { 'f:a': { 'f:b': {}, 'f:c': {} } }, { a: { b: 1 } }],
    ['an item whose keys have a default', { 'f:a': { [port]: { '.': {}, 'f:port': {} } } }, { a: [{ port: 80 }] }],
    ['an item of a set', { 'f:a': { 'v:"x"': {}, 'v:2': {} } }, { a: ['x', 2] }],
    ['a field without a value', {}, { a: undefined }],
    ['an empty list of items', { 'f:a': { [port]: {} } }, { a: [] }],
  ])('FP-4: finds %s', (_, fields, value) => expect(ownsAll(fields, value)).toBe(true));

  it.each<[string, unknown, unknown]>([
    ['a field of another owner', { 'f:b': {} }, { a: 1 }],
    ['a field of a map of another owner', { 'f:a': { 'f:c': {} } }, { a: { b: 1 } }],
    ['an item of another owner', { 'f:a': { [port]: { 'f:port': {} } } }, { a: [{ port: 81 }] }],
    [
      'a field of an item of another owner',
      { 'f:a': { [port]: { 'f:port': {} } } },
      { a: [{ port: 80, name: 'web' }] },
    ],
    ['a value that is not in a set', { 'f:a': { 'v:"x"': {} } }, { a: ['y'] }],
    ['an item with an invalid key', { 'f:a': { 'k:{': {}, 'v:{': {}, 'i:0': {} } }, { a: [{}, 'x'] }],
    ['a scalar in the place of a map', { 'f:a': { 'f:b': {} } }, { a: 1 }],
    ['an inherited name', { 'f:a': { 'f:b': {} } }, { a: { constructor: 1 } }],
    ['fields that are not a map', undefined, { a: 1 }],
  ])('FP-4: does not find %s', (_, fields, value) => expect(ownsAll(fields, value)).toBe(false));
});

describe('missingField', () => {
  it('FP-4: is the path of the first field that is not found', () => {
    const fields = { 'f:spec': { 'f:a': {}, 'f:list': { 'v:"x"': {} } } };
    expect(missingField(fields, { spec: { a: 1, b: 2 } })).toBe('spec.b');
    expect(missingField(fields, { spec: { a: 1, list: ['y'] } })).toBe('spec.list');
    expect(missingField(undefined, { spec: {} })).toBe('');
  });
});

describe('appliedFields', () => {
  const owner = { fieldManager: 'm', apiVersion: 'v1' };

  it('FP-4: are those of the last apply in the same version, not those of other writes', () => {
    const fields = { 'f:data': {} };
    const entry = { manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsV1: fields };
    expect(appliedFields({ managedFields: [entry] }, owner)).toBe(fields);
    const others = [
      { ...entry, manager: 'n' },
      { ...entry, operation: 'Update' },
      { ...entry, apiVersion: 'v2' },
      { ...entry, subresource: 'status' },
    ];
    expect([appliedFields({ managedFields: others }, owner), appliedFields({}, owner)]).toEqual([undefined, undefined]);
  });
});
