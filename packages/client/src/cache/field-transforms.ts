import type { KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import { FieldCut } from '../packed/field-cut.ts';
import { namesOf, type FieldPath } from '../packed/field-tree.ts';
import { characterOfPathLanguage, namesProblem } from './path-problem.ts';

export type { FieldPath } from '../packed/field-tree.ts';

/** Fields that a cache needs to identify an object, and to detect its changes and its deletion. */
const IDENTITY: readonly FieldPath[] = [
  'apiVersion',
  'kind',
  ...['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'].map((name) => ['metadata', name]),
];

/** The cuts of transforms that need no decoded object. */
const cutOf = new WeakMap<WeakKey, FieldCut>();

/**
 * Returns a `transform` for a cache that keeps only these fields, and the fields that identify an object and its
 * version.
 *
 * @example
 * { kind: Pod, transform: keepFields('metadata.labels', 'spec.nodeName', 'status.phase') }
 * @throws {TypeError} if a path is malformed.
 */
export function keepFields<T extends KubernetesObject>(...paths: readonly FieldPath[]): (object: T) => T {
  checkPaths('keepFields', paths);
  return transformOf(new FieldCut({ keep: [...IDENTITY, ...paths] }));
}

/**
 * Returns a `transform` for a cache that removes these fields. Do not write an object without them with `update`, which
 * removes them on the server: use `patch` or `apply`.
 *
 * @example
 * dropFields('spec', ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'])
 * @throws {TypeError} if a path is malformed, or the cache requires its field.
 */
export function dropFields<T extends KubernetesObject>(...paths: readonly FieldPath[]): (object: T) => T {
  checkPaths('dropFields', paths);
  const cut = new FieldCut({ drop: paths });
  for (const path of IDENTITY) {
    if (cut.drops(path)) throw new TypeError(`dropFields: a cache requires ${namesOf(path).join('.')}: do not drop it`);
  }
  return transformOf(cut);
}

/** Returns the cut of a transform of {@link keepFields} or {@link dropFields}, so that the cache need not decode objects. */
export function fieldCutOf(transform: (object: never) => unknown): FieldCut | undefined {
  return cutOf.get(transform);
}

function checkPaths(call: string, paths: readonly unknown[]): void {
  for (const [at, path] of paths.entries()) {
    const problem = pathProblem(path);
    if (problem === undefined) continue;
    throw new TypeError(
      `${call}: path ${at + 1}: expected a path such as "spec.nodeName" or ["spec", "nodeName"], found ${problem}`,
    );
  }
}

function pathProblem(path: unknown): string | undefined {
  if (Array.isArray(path)) return namesProblem(path);
  if (typeof path !== 'string') return foundText(path);
  if (path === '') return 'an empty string';
  if (path.startsWith('.')) return 'a path with a leading dot';
  const character = characterOfPathLanguage(path);
  if (character === undefined) return namesProblem(path.split('.'));
  return `a path with ${JSON.stringify(character)}: a path applies to each element of a list`;
}

function transformOf<T>(cut: FieldCut): (object: T) => T {
  const transform = (object: T) => cut.applyTo(object) as T;
  cutOf.set(transform, cut);
  return transform;
}
