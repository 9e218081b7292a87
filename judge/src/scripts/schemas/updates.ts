import { setTimeout as sleep } from 'node:timers/promises';
import type { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { DEADLINE, DEFINITIONS, serve } from './definition.ts';
import { write } from './write.ts';

const text = { type: 'string' };
const short = { type: 'string', maxLength: 2 };
const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
const item = (value: object): object => ({ type: 'object', required: ['k'], properties: { k: text, v: value } });
const schemaOf = (properties: object): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
});

const loose = schemaOf({
  e: text,
  l: { ...keyed, items: item(text) },
  s: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  at: { type: 'array', items: text },
  mp: { type: 'object', additionalProperties: text },
  r: text,
  o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { k: text } },
});

const tight = schemaOf({
  e: { ...text, enum: ['a'] },
  l: { ...keyed, maxItems: 2, items: item(short) },
  s: { type: 'array', 'x-kubernetes-list-type': 'set', items: short },
  at: { type: 'array', items: short },
  mp: { type: 'object', additionalProperties: short },
  r: { ...text, 'x-kubernetes-validations': [{ rule: 'self != "bad"' }] },
  o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, minProperties: 3, properties: { k: text } },
});

const spec = {
  e: 'zzz',
  l: [{ k: 'a', v: 'long' }, { k: 'b', v: 'x' }, { k: 'c' }],
  s: ['long', 'x'],
  at: ['long', 'x'],
  mp: { a: 'long', b: 'x' },
  r: 'bad',
  o: { k: 'a', z: 1, y: 2 },
};

/** Patches of an object that its schema does not allow any more. */
const PATCHES: readonly object[] = [
  {},
  { metadata: { labels: { a: 'b' } } },
  { spec: { e: 'yyy' } },
  { spec: { l: [{ k: 'c' }, { k: 'b', v: 'x' }, { k: 'a', v: 'long' }] } },
  { spec: { l: [{ k: 'a', v: 'long' }, { k: 'b', v: 'x' }, { k: 'd' }] } },
  { spec: { l: [{ k: 'a', v: 'longer' }] } },
  { spec: { l: [{ k: 'a', v: 'long' }] } },
  { spec: { s: ['x', 'long'] } },
  { spec: { at: ['x', 'long'] } },
  { spec: { at: ['long', 'x', 'y'] } },
  { spec: { mp: { c: 'y' } } },
  { spec: { r: 'worse' } },
  { spec: { o: { k: 'b', y: null } } },
];

/** Updates an object after its schema became stricter. */
export async function updates(client: RawClient): Promise<Fact[]> {
  const path = await serve(client, 'updates', loose);
  const object = { apiVersion: 'schemas.example.com/v1', kind: 'Kindupdates', metadata: { name: 'a' }, spec };
  await client.post(path, object);
  const change = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: tight }];
  await client.patch(`${DEFINITIONS}/updates.schemas.example.com`, change, 'json-patch');
  const refused = { ...object, metadata: { name: 'refused' } };
  // A real server takes a moment until it validates with the new schema.
  const end = performance.now() + DEADLINE;
  while ((await client.post(`${path}?dryRun=All`, refused)).status !== 422) {
    if (performance.now() > end) throw new Error('the server does not use the new schema');
    await sleep(50);
  }
  const facts: Fact[] = [];
  for (const body of PATCHES) {
    const type = 'application/merge-patch+json';
    const asked = JSON.stringify(body);
    facts.push(await write(client, { asked, method: 'PATCH', path: `${path}/a?dryRun=All`, type, body }));
  }
  return facts;
}
