import type { Choices } from '../choices.ts';
import type { Example } from '../examples.ts';
import type { Json, Operation } from '../operation.ts';
import { JSON_TYPE, PATCH_TYPES } from '../operation.ts';
import { NAMES, nameOf } from './objects.ts';

/** Returns the deletion of one object, with options that may be invalid. */
export function remove(choices: Choices, example: Example): Operation {
  const path = `${example.collection}/${nameOf(choices, example)}`;
  const body = choices.weighted<Json | undefined>([
    [6, undefined],
    [1, { preconditions: { uid: `{{uid ${path}}}` } }],
    [1, { preconditions: { uid: 'other' } }],
    [1, { preconditions: { resourceVersion: `{{version ${path}}}` } }],
    [1, { preconditions: { resourceVersion: `{{first ${path}}}` } }],
    [1, { propagationPolicy: choices.one(['Background', 'Sideways', '']) }],
    [0.5, { propagationPolicy: 'Background', orphanDependents: true }],
    [1, { gracePeriodSeconds: choices.one([0, 1, 5, -1]) }],
    [0.5, { dryRun: [choices.one(['All', 'Some'])] }],
    [
      0.5,
      choices.one<Json>(['{', 'null', { kind: 'Pod', apiVersion: 'v1' }, { unknown: 1 }, { gracePeriodSeconds: 'x' }]),
    ],
  ]);
  const query = choices.weighted([
    [8, ''],
    [1, '?dryRun=All'],
    [1, '?gracePeriodSeconds=0'],
    [0.5, '?propagationPolicy=Background'],
    [0.3, '?gracePeriodSeconds=x'],
    [0.3, '?propagationPolicy=x'],
  ] as const);
  return {
    method: 'DELETE',
    path: `${path}${query}`,
    ...(body !== undefined && { headers: JSON_TYPE, body }),
    writes: path,
    ...(choices.chance(0.5) && { before: [release(path)] }),
    ...(isOrphaning(example) && { after: [release(path)] }),
  };
}

/** Removes the finalizers of an object. */
function release(path: string): Operation {
  return {
    method: 'PATCH',
    path,
    headers: { 'content-type': PATCH_TYPES.merge },
    body: { metadata: { finalizers: null } },
  };
}

/** Reports whether deletions of the kind wait for the garbage collector, which the binaries do not have. */
function isOrphaning({ collection }: Example): boolean {
  return /\/(?:jobs|replicationcontrollers)$/u.test(collection);
}

/** Returns the deletion of some objects of a collection. */
export function removeAll(choices: Choices, example: Example): Operation {
  const { collection } = example;
  const query = choices.one([
    ...[
      '?labelSelector=tier%3Dgold',
      '?labelSelector=app%3Dweb&limit=1',
      '?fieldSelector=metadata.name%3Da',
      '?dryRun=All',
    ],
    ...['?labelSelector=a%3D%3D%3Db', '?fieldSelector=x%3Dy'],
  ]);
  const after = isOrphaning(example) ? NAMES.map((name) => release(`${collection}/${name}`)) : [];
  return { method: 'DELETE', path: `${collection}${query}`, after };
}
