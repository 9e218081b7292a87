import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Backup } from '../backup.fixture.ts';
import { defineKind, k8s, newObject } from '../index.ts';

const names = { apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' } as const;
const spec = z.object({
  count: z.int32(),
  size: z.number(),
  name: z.string(),
  list: z.array(z.string()),
  raw: k8s.raw(),
});

/** Options that the compiler refuses. */
const define = (options: object) => defineKind({ ...names, spec, ...options } as never);

describe('KS-1: defineKind', () => {
  it.each<[title: string, options: object, message: string]>([
    ['a core version', { apiVersion: 'v1' }, 'option "apiVersion": expected a group and version such as'],
    ['a group without a dot', { apiVersion: 'shop/v1' }, 'option "apiVersion": expected a group and version'],
    ['a kind in lower case', { kind: 'thing' }, 'option "kind": expected a name in CamelCase'],
    ['a plural with capitals', { plural: 'Things' }, 'option "plural": expected a name in lower case'],
    ['a missing scope', { scope: undefined }, 'option "scope": expected "Namespaced" or "Cluster"'],
    ['an unknown option', { schema: spec }, 'schema'],
    ['a type instead of a schema', { spec: { count: 1 } }, 'option "spec": expected a schema of zod 4'],
    [
      'a function instead of a schema',
      { spec: z.object({ a: k8s.cel as never }) },
      'kind Thing: spec.a: expected a zod schema, found a function: call it',
    ],
    [
      'a column whose path does not exist',
      { printerColumns: [{ name: 'A', jsonPath: '.spec.colour' }] },
      'kind Thing: printerColumns: the path .spec.colour does not exist: the schema has no field colour there',
    ],
    [
      'a column of a list without a type',
      { printerColumns: [{ name: 'A', jsonPath: '.spec.list' }] },
      'kind Thing: printerColumns: .spec.list is not a single value: set the type of the column',
    ],
    [
      'a column with unsupported syntax',
      { printerColumns: [{ name: 'A', jsonPath: '.spec..name' }] },
      'kind Thing: printerColumns: the path .spec..name is not supported',
    ],
    [
      'replicas that are not integers',
      { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.spec.count' } },
      'kind Thing: scale.specReplicasPath: .spec.size is of type number, and must be of type integer: use another field',
    ],
    [
      'replicas in a list',
      { scale: { specReplicasPath: '.spec.list[0]', statusReplicasPath: '.spec.count' } },
      'kind Thing: scale.specReplicasPath: .spec.list[0] is not a path of names: use a path such as .spec.name',
    ],
    [
      'replicas of the status that are in the spec',
      { scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.spec.count' } },
      'kind Thing: scale.statusReplicasPath: .spec.count is not a path of names: use a path such as .status.name',
    ],
    [
      'a selectable list',
      { selectableFields: ['.spec.list'] },
      'kind Thing: selectableFields: .spec.list is of type array, and must be of type string, integer, boolean',
    ],
    ['too many selectable fields', { selectableFields: Array(9).fill('.spec.name') }, 'option "selectableFields"'],
  ])('KS-1: refuses %s', (_title, options, message) => {
    expect(() => define(options)).toThrow(message);
  });

  it('KS-1: returns a kind whose schema checks spec and status', () => {
    expect(Backup).toMatchObject({
      apiVersion: 'shop.example.com/v1',
      kind: 'Backup',
      plural: 'backups',
      scope: 'Namespaced',
    });
    expect(Object.isFrozen(Backup)).toBe(true);
    expect(Backup.schema?.safeParse({ spec: { schedule: 'a' } }).success).toBe(true);
    expect(Backup.schema?.safeParse({ spec: { schedule: 'a' }, status: { readyReplicas: 'many' } }).success).toBe(
      false,
    );
    expect(Backup.schema?.safeParse({}).success).toBe(false);
    expect(defineKind(names).schema?.safeParse({}).success).toBe(true);
  });

  it('KS-1: creates objects with defaults and without unknown fields', () => {
    const input = { metadata: { name: 'a' }, spec: { schedule: 'b', colour: 'red' } };
    expect(newObject(Backup, input)).toEqual({
      apiVersion: 'shop.example.com/v1',
      kind: 'Backup',
      metadata: { name: 'a' },
      spec: { schedule: 'b', replicas: 1 },
    });
    expect(() => newObject(Backup, { metadata: {}, spec: { schedule: 'a'.repeat(101), replicas: -1 } })).toThrow(
      /^newObject: the object does not match the schema of shop.example.com\/v1 Backup: spec.replicas: .*; spec.schedule: /,
    );
  });

  it('KS-1: keeps refinements for the client if a webhook runs them on the server', () => {
    const refined = z
      .object({ min: z.int32(), max: z.int32() })
      .refine(({ min, max }) => min <= max, 'min exceeds max');
    const Range = defineKind({ ...names, spec: refined, admission: 'webhook' });
    expect(() => newObject(Range, { metadata: {}, spec: { min: 2, max: 1 } })).toThrow('min exceeds max');
  });
});
