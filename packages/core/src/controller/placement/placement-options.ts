import type { ApplyConfiguration, DeepReadonly, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import {
  checkKind,
  kindText,
  labelSelectorSchema,
  namespaceSchema,
  nonNegativeMilliseconds,
  parseApiVersion,
  parseOptions,
  shortened,
} from '@mcr/client';
import * as z from 'zod';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/** The cluster that objects are placed in. It has no client, because functions of a placement only compute. */
export interface PlacementCluster {
  readonly name: ClusterName;
  readonly labels: Readonly<Record<string, string>>;
}

/** An object that a placement keeps in a cluster, see {@link desired}. */
export interface DesiredObject {
  readonly kind: Kind<KubernetesObject>;
  readonly configuration: DeepReadonly<ApplyConfiguration<KubernetesObject>>;
}

/**
 * Returns a desired object of `kind`: the fields that the placement owns, as for a server-side apply. A namespaced
 * object has `metadata.namespace`, and its namespace exists or is placed before it.
 */
export function desired<T extends KubernetesObject>(
  kind: Kind<T>,
  configuration: DeepReadonly<ApplyConfiguration<T>> & DesiredObject['configuration'],
): DesiredObject {
  return { kind, configuration };
}

/** Options of `places`. */
export interface PlacementOptions<T extends KubernetesObject> {
  /**
   * Selects the clusters: by their labels, for example `env in (prod, stage)`, or by a function, which may also depend on
   * the owner. It is evaluated again when the owner or the labels of a cluster change. Objects are deleted from a cluster
   * that is no longer selected.
   */
  readonly clusters: string | ((owner: DeepReadonly<T>, cluster: PlacementCluster) => boolean);
  /**
   * Returns the objects for one cluster, at most 1,000, each made with {@link desired}. They are applied in this order.
   * Objects that an earlier call returned, and this one does not, are deleted.
   */
  readonly objects: (
    owner: DeepReadonly<T>,
    cluster: PlacementCluster,
  ) => Iterable<DesiredObject> | Promise<Iterable<DesiredObject>>;
  /** Kinds of the objects. They are watched in the members, so that changes are repaired. Keep a kind here while objects of it exist. */
  readonly kinds: readonly Kind<KubernetesObject>[];
  /**
   * How long a deleted owner waits for clusters that still have its objects, whether they are away, fail, or have objects
   * with finalizers. `wait`: until no cluster has objects. `orphanAfter`: at most this time after the deletion, in
   * milliseconds; then the owner is released, and the remaining objects stay. Default: `wait`.
   */
  readonly deletionPolicy?: 'wait' | { readonly orphanAfter: number };
  /** Whether to write the condition `Placed` and `status.clusters` of the owner. Default: true. */
  readonly status?: boolean;
  /** Time in which changes of clusters lead to one write of the status, in milliseconds. Default: 1,000. */
  readonly statusInterval?: number;
  /** Places only the owners with these labels. Objects of an owner that loses them are deleted. Default: all. */
  readonly labelSelector?: string;
  /** Places only the owners in these namespaces. Default: all. */
  readonly namespaces?: readonly string[];
  /** Namespace of the records of cluster-scoped owners in the hub. A namespaced owner has its record in its own namespace. */
  readonly recordNamespace?: string;
}

const method = z.custom((value) => typeof value === 'function', 'expected a function');
const positive = z.number().positive('expected a positive number of milliseconds');

const schema = z.strictObject({
  clusters: z.union([labelSelectorSchema, method], 'expected a label selector or a function'),
  objects: method,
  kinds: z.array(z.looseObject({ apiVersion: z.string(), kind: z.string() })).min(1, 'expected at least one kind'),
  deletionPolicy: z
    .union([z.literal('wait'), z.strictObject({ orphanAfter: positive })], 'expected "wait" or { orphanAfter }')
    .exactOptional(),
  status: z.boolean().exactOptional(),
  statusInterval: nonNegativeMilliseconds.exactOptional(),
  labelSelector: labelSelectorSchema.exactOptional(),
  namespaces: z.array(namespaceSchema).exactOptional(),
  recordNamespace: namespaceSchema.exactOptional(),
} satisfies Record<keyof PlacementOptions<KubernetesObject>, z.ZodType>);

/** @throws {TypeError} that names the option that is unknown or invalid. */
export function checkPlacement<T extends KubernetesObject>(kind: Kind<T>, options: PlacementOptions<T>): void {
  checkKind('places', kind);
  const call = `places(${kind.kind})`;
  parseOptions(call, schema, options);
  for (const placedKind of options.kinds) checkKind(call, placedKind);
  if (kind.scope === 'Cluster' && options.recordNamespace === undefined) {
    throw new TypeError(
      `${call}: option "recordNamespace": expected a namespace of the hub, because the owners are cluster-scoped`,
    );
  }
}

/** Maximum number of objects of one owner in one cluster. */
const MAX_OBJECTS = 1_000;

/** Maximum length of a name in an error. */
const MAX_TEXT = 256;

const placedSchema = z.object({
  kind: z.object({ apiVersion: z.string(), kind: z.string() }),
  configuration: z.object({
    metadata: z.object({ name: z.string().min(1), namespace: z.string().exactOptional() }),
  }),
});

/** @throws {TypeError} if a function `objects` did not return objects of `kinds`, each once. */
export function checkObjects(found: unknown, kinds: readonly Kind<KubernetesObject>[]): DesiredObject[] {
  if (typeof found !== 'object' || found === null || !(Symbol.iterator in found)) {
    throw new TypeError('objects: expected a list of objects, each made with desired(kind, configuration)');
  }
  const objects: DesiredObject[] = [];
  // Each one is checked below.
  for (const object of found as Iterable<DesiredObject>) {
    objects.push(object);
    // Not the whole of a list that never ends.
    if (objects.length > 10 * MAX_OBJECTS) break;
  }
  if (objects.length > MAX_OBJECTS) {
    throw new TypeError(
      `objects: expected at most ${MAX_OBJECTS} objects for one cluster, found ${objects.length > 10 * MAX_OBJECTS ? 'more than ' : ''}${Math.min(objects.length, 10 * MAX_OBJECTS)}: divide them among owners`,
    );
  }
  for (const [index, object] of objects.entries()) {
    const problem = placedSchema.safeParse(object).error?.issues[0];
    if (!problem) continue;
    const path = problem.path.map((part) => `.${String(part)}`).join('');
    throw new TypeError(
      `objects: [${index}]${path}: ${problem.message}: make each object with desired(kind, configuration), and give it a name`,
    );
  }
  const known = new Set(kinds.map(groupKind));
  const seen = new Set<string>();
  for (const { kind, configuration } of objects) {
    const key = placedKey(kind, configuration.metadata);
    if (!known.has(groupKind(kind))) {
      throw new TypeError(`objects: ${key} is not of a kind in the option "kinds": add ${kindText(kind)} to it`);
    }
    if (seen.has(key)) throw new TypeError(`objects: ${key} is placed twice: return each object once`);
    seen.add(key);
  }
  return objects;
}

/** Returns the text of an object, without the version of its kind. */
export function placedKey(
  kind: Kind<KubernetesObject>,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): string {
  return `${groupKind(kind)} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/**
 * Parses a text of {@link placedKey}.
 *
 * @throws {Error} if it is of none of `kinds`.
 */
export function parsePlacedKey(
  text: string,
  kinds: readonly Kind<KubernetesObject>[],
): { readonly kind: Kind<KubernetesObject>; readonly key: ObjectKey } {
  const [ofKind = '', path = '', ...others] = text.split(' ');
  const kind = kinds.find((each) => groupKind(each) === ofKind);
  const [name = '', namespace, ...more] = path.split('/').reverse();
  if (!kind || name === '' || others.length > 0 || more.length > 0) {
    throw new Error(
      `the placement record names ${shortened(text, MAX_TEXT)}, which is not of a kind in the option "kinds": add the kind until its objects are deleted`,
    );
  }
  return { kind, key: { name, ...(namespace !== undefined && { namespace }) } };
}

function groupKind({ apiVersion, kind }: Kind<KubernetesObject>): string {
  const { group } = parseApiVersion(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}
