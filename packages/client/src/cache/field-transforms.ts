import type { KubernetesObject } from '../kinds/object.ts';

/** Path of a field: its names as an array, or joined by dots. In a list, it applies to each element. */
export type FieldPath = string | readonly string[];

/** Fields that a cache needs to identify an object, and to detect its changes and its deletion. */
const IDENTITY: readonly FieldPath[] = [
  'apiVersion',
  'kind',
  ...['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'].map((name) => ['metadata', name]),
];

/** Fields by name; `undefined` means the whole field. */
type FieldTree = Map<string, FieldTree | undefined>;

/**
 * Returns a `transform` for a cache that keeps only these fields, and the fields that identify an object and its
 * version.
 *
 * @example
 * { kind: Pod, transform: keepFields('metadata.labels', 'spec.nodeName', 'status.phase') }
 */
export function keepFields<T extends KubernetesObject>(...paths: readonly FieldPath[]): (object: T) => T {
  const kept = treeOf([...IDENTITY, ...paths]);
  return (object) => pick(object, kept) as T;
}

/**
 * Returns a `transform` for a cache that removes these fields.
 *
 * @example
 * dropFields('spec', ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'])
 * @throws {TypeError} if the cache requires one of them.
 */
export function dropFields<T extends KubernetesObject>(...paths: readonly FieldPath[]): (object: T) => T {
  const dropped = treeOf(paths);
  for (const path of IDENTITY) {
    if (covers(dropped, namesOf(path)))
      throw new TypeError(`dropFields: a cache requires ${namesOf(path).join('.')}: do not drop it`);
  }
  return (object) => omit(object, dropped) as T;
}

function namesOf(path: FieldPath): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path;
}

function treeOf(paths: readonly FieldPath[]): FieldTree {
  const tree: FieldTree = new Map();
  for (const path of paths) add(tree, namesOf(path));
  return tree;
}

function add(tree: FieldTree, [name = '', ...rest]: readonly string[]): void {
  const whole = tree.has(name) && tree.get(name) === undefined;
  if (whole) return;
  const below = rest.length > 0 ? (tree.get(name) ?? (new Map() as FieldTree)) : undefined;
  tree.set(name, below);
  if (below) add(below, rest);
}

function covers(tree: FieldTree, [name = '', ...rest]: readonly string[]): boolean {
  if (!tree.has(name)) return false;
  const below = tree.get(name);
  return below === undefined || (rest.length > 0 && covers(below, rest));
}

function pick(value: unknown, tree: FieldTree): unknown {
  return mapFields(value, (name, field) => {
    if (!tree.has(name)) return REMOVED;
    const below = tree.get(name);
    return below ? pick(field, below) : field;
  });
}

function omit(value: unknown, tree: FieldTree): unknown {
  return mapFields(value, (name, field) => {
    if (!tree.has(name)) return field;
    const below = tree.get(name);
    return below ? omit(field, below) : REMOVED;
  });
}

const REMOVED = Symbol('removed');

/** Returns a copy with other fields. Deleting fields of the original would use more memory than it frees. */
function mapFields(value: unknown, map: (name: string, field: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => mapFields(element, map));
  if (typeof value !== 'object' || value === null) return value;
  const mapped = Object.entries(value)
    .map(([name, field]) => [name, map(name, field)] as const)
    .filter(([, field]) => field !== REMOVED);
  return Object.fromEntries(mapped);
}
