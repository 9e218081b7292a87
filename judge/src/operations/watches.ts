import type { Choices } from '../choices.ts';
import { examples } from '../examples.ts';
import type { Operation } from '../operation.ts';
import { JSON_TYPE, MARKER } from '../operation.ts';

const KINDS = examples.filter(({ collection }) =>
  /\/(?:configmaps|secrets|deployments|pods|leases|services)$/u.test(collection),
);

/** Returns a watch: of what exists, of what comes, or one that the server refuses. */
export function onWatch(choices: Choices): Operation {
  const { collection } = choices.one(KINDS);
  const object = `${collection}/${choices.one(['a', 'b', 'c'])}`;
  const selector = choices.one(['', '', '&labelSelector=tier%3Dgold', '&fieldSelector=metadata.name%3Da']);
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const table = choices.chance(0.15)
    ? { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    : choices.chance(0.15)
      ? { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }
      : {};
  return choices.weighted<() => Operation>([
    [
      4,
      () => ({
        method: 'GET',
        path: `${collection}?watch=true&${initial}${selector}`,
        headers: table,
        until: 'initial',
        settles: collection,
      }),
    ],
    [
      1,
      () => ({
        method: 'GET',
        path: `${collection}?watch=true&${choices.one([
          'sendInitialEvents=true',
          'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
          'resourceVersionMatch=NotOlderThan',
          'sendInitialEvents=true&resourceVersionMatch=Exact&allowWatchBookmarks=true',
          'resourceVersion=x',
          'labelSelector=a%3D%3D%3Db',
          'fieldSelector=x%3Dy',
          'timeoutSeconds=x&resourceVersion=x',
          'sendInitialEvents=x',
          'limit=1&continue=x&timeoutSeconds=1',
        ])}`,
        headers: { ...table },
        settles: collection,
        until: 'initial',
      }),
    ],
    [
      3,
      () => ({
        method: 'GET',
        path: `${collection}?watch=true&resourceVersion={{version ${object}}}${choices.one(['', '&labelSelector=tier%3Dgold'])}`,
        headers: table,
        until: 'marker',
        settles: collection,
      }),
    ],
    [
      2,
      () => ({
        method: 'GET',
        path: `${collection}?watch=true&resourceVersion=0`,
        headers: table,
        until: 'marker',
        settles: collection,
      }),
    ],
  ])();
}

/** Returns the requests that write the object that ends a watch of a collection, and that remove it. */
export function markerOf(collection: string): { readonly write: Operation; readonly remove: Operation } {
  const example = KINDS.find((kind) => kind.collection === collection) ?? examples[0];
  const [object = {}] = example?.objects ?? [];
  const metadata = { name: MARKER, labels: { tier: 'gold', app: 'web' } };
  return {
    write: { method: 'POST', path: collection, headers: JSON_TYPE, body: { ...object, metadata } },
    remove: { method: 'DELETE', path: `${collection}/${MARKER}?gracePeriodSeconds=0` },
  };
}
