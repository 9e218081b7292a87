import { isDeepStrictEqual } from 'node:util';
import { listAt } from '../../cells.ts';
import { valueAt } from '../../resource-type.ts';

/**
 * Values of the group resource.k8s.io as the internal Go types write them, which errors contain (upstream:
 * `pkg/apis/resource/types.go`). Fields whose feature gates are off are never set.
 */

type Convert = (value: unknown) => unknown;

const list = (value: unknown, field: string, convert: Convert): readonly unknown[] | null =>
  (valueAt(value, field) ?? null) === null ? null : listAt(value, field).map(convert);

const optional = (value: unknown, field: string, convert: Convert): unknown => {
  const found = valueAt(value, field);
  return found === undefined ? null : convert(found);
};

const text = (value: unknown, field: string): unknown => valueAt(value, field) ?? '';

const same: Convert = (value) => value;

const selector: Convert = (value) => ({
  CEL: optional(value, 'cel', (cel) => ({ Expression: text(cel, 'expression') })),
});

const asked = (value: unknown): object => ({
  DeviceClassName: text(value, 'deviceClassName'),
  Selectors: list(value, 'selectors', selector),
  AllocationMode: text(value, 'allocationMode'),
  Count: valueAt(value, 'count') ?? 0,
});

const request: Convert = (value) => ({
  Name: text(value, 'name'),
  Exactly: optional(value, 'exactly', (exactly) => ({
    ...asked(exactly),
    AdminAccess: valueAt(exactly, 'adminAccess') ?? null,
    Tolerations: null,
    Capacity: null,
  })),
  FirstAvailable: list(value, 'firstAvailable', (alternative) => ({
    Name: text(alternative, 'name'),
    ...asked(alternative),
    Tolerations: null,
    Capacity: null,
  })),
});

const constraint: Convert = (value) => ({
  Requests: list(value, 'requests', same),
  MatchAttribute: valueAt(value, 'matchAttribute') ?? null,
  DistinctAttribute: null,
});

const opaque = (value: unknown): unknown =>
  optional(value, 'opaque', (found) => ({
    Driver: text(found, 'driver'),
    Parameters: valueAt(found, 'parameters') ?? null,
  }));

/** Returns the spec of a ResourceClaim. */
export function internalClaimSpec(spec: unknown): object {
  const devices = valueAt(spec, 'devices');
  return {
    Devices: {
      Requests: list(devices, 'requests', request),
      Constraints: list(devices, 'constraints', constraint),
      Config: list(devices, 'config', (value) => ({ Requests: list(value, 'requests', same), Opaque: opaque(value) })),
    },
  };
}

/** Fields of the metadata in the order of the Go type. */
export const METADATA_FIELDS: readonly string[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Returns the spec of a ResourceClaimTemplate. Fields of the metadata that are not set are left out. */
export function internalTemplateSpec(spec: unknown): object {
  const metadata = METADATA_FIELDS.flatMap((field): [string, unknown][] => {
    const value = valueAt(spec, `metadata.${field}`);
    if (isUnset(value)) return [];
    return [[field, field === 'labels' || field === 'annotations' ? sorted(value) : value]];
  });
  return { ...Object.fromEntries(metadata), Spec: internalClaimSpec(valueAt(spec, 'spec')) };
}

/** Reports whether a field of the metadata has the zero value of its Go type. */
export function isUnset(value: unknown): boolean {
  return (
    (value ?? '') === '' || value === 0 || (typeof value === 'object' && Object.keys(value as object).length === 0)
  );
}

/** Returns a map in the order of its keys. */
function sorted(map: unknown): object {
  return Object.fromEntries(Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const requirement: Convert = (value) => ({
  Key: text(value, 'key'),
  Operator: text(value, 'operator'),
  Values: list(value, 'values', same),
});

/** Returns a selector of Nodes; `null` if there is none. */
export function internalNodeSelector(value: unknown): { readonly NodeSelectorTerms: unknown } | null {
  if (value === undefined) return null;
  return {
    NodeSelectorTerms: list(value, 'nodeSelectorTerms', (term) => ({
      MatchExpressions: list(term, 'matchExpressions', requirement),
      MatchFields: list(term, 'matchFields', requirement),
    })),
  };
}

/** Returns the allocation of a ResourceClaim. */
export function internalAllocation(allocation: unknown): object {
  return {
    Devices: {
      Results: list(allocation, 'devices.results', (result) => ({
        Request: text(result, 'request'),
        Driver: text(result, 'driver'),
        Pool: text(result, 'pool'),
        Device: text(result, 'device'),
        AdminAccess: valueAt(result, 'adminAccess') ?? null,
        Tolerations: null,
        BindingConditions: null,
        BindingFailureConditions: null,
        ShareID: null,
        ConsumedCapacity: null,
      })),
      Config: list(allocation, 'devices.config', (value) => ({
        Source: text(value, 'source'),
        Requests: list(value, 'requests', same),
        Opaque: opaque(value),
      })),
    },
    NodeSelector: internalNodeSelector(valueAt(allocation, 'nodeSelector')),
    AllocationTimestamp: valueAt(allocation, 'allocationTimestamp') ?? null,
  };
}

/** Compares two internal values. An empty list is the same as no list (upstream: `Semantic.DeepEqual`). */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(withoutEmptyLists(one), withoutEmptyLists(other));
}

function withoutEmptyLists(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) =>
    Array.isArray(item) && item.length === 0 ? null : item,
  ) as unknown;
}
