import type { Choices } from '../choices.ts';
import type { Example } from '../examples.ts';
import type { Json, JsonObject, Operation } from '../operation.ts';
import { PATCH_TYPES } from '../operation.ts';
import { broken, nameOf, objectOf, partOf, someMetadata } from './objects.ts';
import { writeQuery } from './queries.ts';

/** Returns a JSON patch, a merge patch or a strategic merge patch, which may be invalid. */
export function patch(choices: Choices, example: Example): Operation {
  const name = nameOf(choices, example);
  const path = `${example.collection}/${name}`;
  const object = objectOf(choices, example, name);
  const type = choices.weighted([
    [4, 'merge'],
    [4, 'strategic'],
    [3, 'json'],
  ] as const);
  const body: Json =
    type === 'json'
      ? choices.chance(0.05)
        ? choices.one<Json>([{}, '', 'x', [{}], [5], null])
        : Array.from({ length: 1 + choices.below(2) }, () => jsonPatch(choices, object))
      : choices.weighted<() => Json>([
          [4, () => partOf(choices, object)],
          [
            3,
            () => ({
              metadata: { labels: { [choices.one(['app', 'tier', 'bad key!'])]: choices.one(['x', null, '', 5]) } },
            }),
          ],
          [
            1,
            () => ({
              metadata: { annotations: choices.one<Json>([{ a: 'b' }, null, { a: null }, { 'A b': 'c' }, 'x']) },
            }),
          ],
          [1, () => ({ metadata: { finalizers: choices.one<Json>([null, ['example.com/hold'], ['x'], []]) } })],
          [
            1,
            () => ({
              metadata: { resourceVersion: choices.one([`{{version ${path}}}`, `{{first ${path}}}`, 'x', '']) },
            }),
          ],
          [1, () => ({ metadata: { managedFields: choices.one<Json>([[], [{}], null, 'x']) } })],
          [1, () => choices.one<Json>(['', '{', 'null', '[]', 'a: b', '5', {}])],
          [1, () => ({ $patch: choices.one(['replace', 'delete', 'x']), ...partOf(choices, object) })],
        ])();
  const suffix = choices.chance(0.08) ? choices.one(['/status', '/scale', '/x', '/']) : '';
  return {
    method: 'PATCH',
    path: `${path}${suffix}${writeQuery(choices)}`,
    headers: { 'content-type': choices.chance(0.02) ? 'application/json' : PATCH_TYPES[type] },
    body,
    writes: path,
  };
}

function jsonPatch(choices: Choices, object: JsonObject): Json {
  const path = choices.one([
    ...['/metadata/labels', '/metadata/labels/app', '/metadata/annotations/a', '/data/k', '/spec/replicas', '/spec'],
    ...['/spec/template/spec/containers/0/image', '/spec/containers/0/image', '/nothing', '', 'x', '/metadata/name'],
    ...['/metadata/labels/-', '/spec/containers/5', '/metadata/labels/a~1b', '/metadata/finalizers/-'],
    ...Object.keys(object).map((field) => `/${field}`),
  ]);
  return {
    op: choices.one(['add', 'replace', 'remove', 'test', 'copy', 'move', 'x']),
    path,
    ...(choices.chance(0.9) && { value: choices.one<Json>(['x', 1, null, {}, [], { a: 'b' }, 'nginx:2', true]) }),
    ...(choices.chance(0.2) && { from: choices.one(['/metadata/labels', '/nothing', '/metadata/name', '/data']) }),
  };
}

/** Returns an apply of a whole object or of a part. */
export function apply(choices: Choices, example: Example): Operation {
  const name = nameOf(choices, example);
  const path = `${example.collection}/${name}`;
  const object = objectOf(choices, example, name);
  const manager = choices.weighted([
    [8, `fieldManager=${choices.one(['one', 'two', 'three'])}`],
    [0.3, ''],
    [0.2, `fieldManager=${'x'.repeat(129)}`],
  ] as const);
  const force = choices.weighted([
    [3, ''],
    [3, '&force=true'],
    [1, '&force=false'],
    [0.2, '&force=x'],
    [0.5, '&dryRun=All'],
    [0.5, '&fieldValidation=Strict'],
  ] as const);
  const whole: JsonObject = { ...object, metadata: { ...(object['metadata'] as JsonObject | undefined) } };
  const part = choices.chance(0.4)
    ? {
        apiVersion: object['apiVersion'],
        kind: object['kind'],
        metadata: { name, ...someMetadata(choices) },
        ...partOf(choices, object),
      }
    : whole;
  return {
    method: 'PATCH',
    path: `${path}?${manager}${force}`,
    headers: { 'content-type': PATCH_TYPES.apply },
    body: choices.chance(0.03) ? broken(choices, part) : part,
    writes: path,
  };
}
