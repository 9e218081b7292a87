import type { Choices } from '../choices.ts';
import type { Example } from '../examples.ts';
import { examples } from '../examples.ts';
import type { JsonObject, Operation } from '../operation.ts';
import { JSON_TYPE } from '../operation.ts';
import { remove, removeAll } from './deletions.ts';
import { BAD_NAMES, broken, named, nameOf, objectOf } from './objects.ts';
import { apply, patch } from './patches.ts';
import { accept, readQuery, writeQuery } from './queries.ts';
import { subresource } from './subresources.ts';

/** A version that no object has: that of an object counts as known afterwards. */
const UNUSED_VERSION = '999999999';

/** Returns one operation on an object, or on a collection, of a kind. */
export function onKind(choices: Choices, example: Example): Operation {
  return choices.weighted<() => Operation>([
    [10, () => create(choices, example)],
    [4, () => read(choices, example)],
    [3, () => list(choices, example)],
    [5, () => update(choices, example)],
    [6, () => patch(choices, example)],
    [5, () => apply(choices, example)],
    [2, () => subresource(choices, example)],
    [6, () => remove(choices, example)],
    [0.5, () => removeAll(choices, example)],
  ])();
}

/** Returns one operation on a built-in kind. */
export function onBuiltIn(choices: Choices): Operation {
  return onKind(choices, choices.weighted(examples.map((example) => [example.weight, example] as const)));
}

function create(choices: Choices, example: Example): Operation {
  const { collection } = example;
  const name = nameOf(choices, example);
  const object = objectOf(choices, example, name);
  const query = writeQuery(choices);
  const base = { method: 'POST', path: `${collection}${query}`, headers: JSON_TYPE } as const;
  return choices.weighted<() => Operation>([
    [
      14,
      () => ({ ...base, headers: { ...JSON_TYPE, ...accept(choices) }, body: object, writes: `${collection}/${name}` }),
    ],
    [
      1,
      () => ({
        ...base,
        path: `${collection}?dryRun=All`,
        body: { ...object, metadata: { generateName: choices.one(['gen-', 'gen-', 'Gen_']) } },
      }),
    ],
    [1, () => ({ ...base, body: { ...object, metadata: { name: choices.one(BAD_NAMES) } } })],
    [0.5, () => ({ ...base, body: named(object, name, { namespace: choices.one(['judge', 'other', '']) }) })],
    [
      0.5,
      () => ({
        ...base,
        body: named(object, name, { uid: 'x', resourceVersion: choices.one(['', UNUSED_VERSION, 'x']) }),
      }),
    ],
    [0.5, () => ({ ...base, body: { ...object, apiVersion: choices.one(['v1', 'v2', 'apps/v1', '', 'a/b/c']) } })],
    [0.5, () => ({ ...base, body: { ...object, kind: choices.one(['Pod', 'Unknown', '', 'Status']) } })],
    [1, () => ({ ...base, body: broken(choices, object) })],
    [0.5, () => ({ ...base, headers: contentType(choices), body: object })],
  ])();
}

function contentType(choices: Choices): Readonly<Record<string, string>> {
  const type = choices.one([
    ...['', 'text/plain', 'application/xml', 'application/yaml', 'application/json; charset=utf-8', 'application/*'],
    ...['application/vnd.kubernetes.protobuf', 'application/merge-patch+json', 'x', 'application/json;x'],
  ]);
  return type === '' ? {} : { 'content-type': type };
}

function read(choices: Choices, example: Example): Operation {
  const path = `${example.collection}/${nameOf(choices, example)}`;
  const query = choices.chance(0.2)
    ? choices.one(['?resourceVersion=0', '?pretty=true', '?resourceVersion=x', '?x=y'])
    : '';
  const settled = query.includes('resourceVersion=0') ? { settles: example.collection } : {};
  return { method: 'GET', path: `${path}${query}`, headers: accept(choices, 0.4), ...settled };
}

function list(choices: Choices, { collection }: Example): Operation {
  const path = choices.chance(0.1) ? collection.replace(/\/namespaces\/[^/]+/u, '') : collection;
  return { method: 'GET', path: `${path}${readQuery(choices, path)}`, headers: accept(choices, 0.3), settles: path };
}

function update(choices: Choices, example: Example): Operation {
  const { collection } = example;
  const name = nameOf(choices, example);
  const path = `${collection}/${name}`;
  const object = objectOf(choices, example, name);
  const base = { method: 'PUT', path: `${path}${writeQuery(choices)}`, headers: JSON_TYPE, writes: path } as const;
  const metadata: JsonObject = choices.one<JsonObject>([
    {},
    {},
    { resourceVersion: `{{version ${path}}}` },
    { resourceVersion: `{{first ${path}}}` },
    { uid: `{{uid ${path}}}` },
    { uid: '00000000-0000-0000-0000-000000000001' },
    { name: 'other' },
    { name: undefined },
    { namespace: 'other' },
    { generation: 5, creationTimestamp: '2020-01-01T00:00:00Z' },
  ]);
  const mutation = choices.chance(0.7) ? choices.below(2 ** 31) : undefined;
  const entries = Object.entries(metadata).map(([field, value]) => [field, value ?? null] as const);
  const changed = {
    of: path,
    metadata: { name, ...Object.fromEntries(entries) },
    ...(mutation !== undefined && { mutation }),
  };
  return choices.chance(0.6) ? { ...base, changed } : { ...base, body: named(object, name, metadata) };
}
