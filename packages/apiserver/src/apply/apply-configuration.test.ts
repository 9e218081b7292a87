import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { builtInTypes } from '../resources/kind-table.ts';
import { ResourceRegistry } from '../resources/registry.ts';
import { StatusError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { complete, Turn } from '../turn.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { versionedTypes } from './field-types.ts';
import type { FieldManager } from './managed-fields.ts';
import { trackUpdate } from './ownership.ts';

fc.configureGlobal({ seed: 1 });

const registry = new ResourceRegistry(builtInTypes);
const pods = registry.find('', 'v1', 'pods');
if (!pods) throw new Error('the registry has no Pods');
const types = versionedTypes(registry, pods);

const applier = (name: string): FieldManager => ({ name, operation: 'Apply', apiVersion: 'v1', subresource: '' });

const nothing = { apiVersion: 'v1', kind: 'Pod', metadata: {} } as unknown as ApiObject;

function apply(
  live: ApiObject,
  config: ApiObject,
  name: string,
  options: { readonly force?: boolean } = {},
): ApiObject {
  const manager = applier(name);
  const { metadata, ...rest } = config;
  const sent = { ...rest, metadata: { ...metadata } };
  const current = live === nothing ? undefined : live;
  const { object, managedFields } = complete(
    applyConfiguration({
      types,
      manager,
      live: current,
      config: sent,
      force: options.force ?? false,
      turn: new Turn(),
    }),
  );
  return {
    ...object,
    metadata: { ...object.metadata, ...(managedFields.length > 0 && { managedFields: [...managedFields] }) },
  };
}

/** An object without the entries of its managers. */
function bare({ metadata: { managedFields: _, ...metadata }, ...rest }: ApiObject): object {
  return { ...rest, metadata };
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const text = fc.constantFrom('1', '2', '3');

/** Items with unique names, as a keyed list requires. */
const named = <T>(names: fc.Arbitrary<string>, rest: fc.Arbitrary<T>): fc.Arbitrary<object[]> =>
  fc
    .uniqueArray(names, { maxLength: 3 })
    .chain((list) => fc.tuple(...list.map((name) => rest.map((fields) => ({ name, ...fields })))));

const container = fc.record(
  {
    image: text,
    args: fc.array(text, { maxLength: 2 }),
    env: named(key, fc.record({ value: text })),
  },
  { requiredKeys: ['image'] },
);

/** Pods with few names and values, so that configurations often overlap. */
const config: fc.Arbitrary<ApiObject> = fc
  .record({
    labels: fc.dictionary(key, text, { maxKeys: 3, noNullPrototype: true }),
    containers: named(key, container),
    nodeSelector: fc.option(fc.dictionary(key, text, { minKeys: 1, maxKeys: 2, noNullPrototype: true })),
  })
  .map(({ labels, containers, nodeSelector }) => {
    const spec = { containers, ...(nodeSelector && { nodeSelector }) };
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels }, spec } as unknown as ApiObject;
  });

/** Removes empty lists and maps: they have no owner, and may stay or go. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([field, child]) => [field, withoutEmpty(child)] as const);
  return Object.fromEntries(entries.filter(([, child]) => !isEmptyContainer(child)));
}

function isEmptyContainer(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

describe('apply', () => {
  it('K-13: applying twice has the same result as applying once', () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const live = apply(apply(nothing, first, 'other'), second, 'me', { force: true });
        expect(apply(live, second, 'me')).toEqual(live);
      }),
    );
  });

  it('K-13: the object has exactly what its only manager applied last', () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const live = apply(apply(nothing, first, 'me'), second, 'me');
        expect(withoutEmpty(bare(live))).toEqual(withoutEmpty(bare(apply(nothing, second, 'me'))));
      }),
    );
  });

  it('K-13: a forced apply sets all values of its manager', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const live = apply(apply(nothing, theirs, 'other'), mine, 'me', { force: true });
        // Applying the same configuration again changes nothing, so all of its fields exist.
        expect(apply(live, mine, 'third')).toMatchObject({ spec: live['spec'] as object });
      }),
    );
  });

  it('K-13: managers with different fields do not affect each other, in any order', () => {
    const labels = fc.dictionary(text, text, { minKeys: 1, noNullPrototype: true });
    const withLabels = (prefix: string, wanted: Record<string, string>): ApiObject => ({
      ...nothing,
      metadata: {
        labels: Object.fromEntries(Object.entries(wanted).map(([name, value]) => [prefix + name, value])),
      } as unknown as ApiObject['metadata'],
    });
    fc.assert(
      fc.property(labels, labels, (a, b) => {
        const [mine, theirs] = [withLabels('a', a), withLabels('b', b)];
        const left = apply(apply(nothing, mine, 'me'), theirs, 'other');
        const right = apply(apply(nothing, theirs, 'other'), mine, 'me');
        expect(left.metadata.labels).toEqual({ ...mine.metadata.labels, ...theirs.metadata.labels });
        expect(right.metadata.labels).toEqual(left.metadata.labels);
        // When one manager applies an empty configuration, only the fields of the other remain.
        expect(apply(left, nothing, 'me').metadata.labels).toEqual(theirs.metadata.labels);
      }),
    );
  });

  it('K-13: an apply without force either conflicts or leaves all other values unchanged', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const before = apply(nothing, theirs, 'other');
        let after: ApiObject;
        try {
          after = apply(before, mine, 'me');
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
          return;
        }
        // All fields of the other manager exist: it can apply them again without force and without a change.
        expect(apply(after, theirs, 'other')).toEqual(after);
      }),
    );
  });

  it('K-13: an update owns the fields that it changes, and no manager owns a removed field', () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const live = apply(nothing, first, 'me');
        const manager: FieldManager = { name: 'editor', operation: 'Update', apiVersion: 'v1', subresource: '' };
        const managedFields = complete(trackUpdate(types, manager, { live, object: second }, new Turn()));
        const object = { ...second, metadata: { ...second.metadata, managedFields } };
        // The first manager can remove only fields that it still owns, which are those that the update did not change.
        const released = apply(object, nothing, 'me');
        const owners = (released.metadata.managedFields ?? []).map((entry) => entry.manager);
        // If the editor owns nothing, an unknown manager owns what is left.
        expect(['editor', 'before-first-apply']).toEqual(expect.arrayContaining(owners));
        expect(complete(trackUpdate(types, manager, { live: object, object }, new Turn()))).toEqual(managedFields);
      }),
    );
  });
});
