import type { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { DEFINITIONS, definition } from './definition.ts';
import { write } from './write.ts';

/** Places of a schema within the schema of a definition. */
const PLACES: readonly ((schema: unknown) => object)[] = [
  (schema) => ({ type: 'object', properties: { a: schema } }),
  (schema) => ({ type: 'object', properties: { a: { type: 'array', items: schema } } }),
  (schema) => ({ type: 'object', properties: { a: { type: 'object', additionalProperties: schema } } }),
  (schema) => ({ type: 'object', properties: { a: { type: 'object', not: schema } } }),
  (schema) => ({
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'object', additionalProperties: { properties: { b: schema } } } },
    },
  }),
];

/** Values of fields of a schema, most of the wrong type. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  items: ['x', 3, true, [], [{ type: 'string' }], [3], null, { type: 3 }, [[{}]]],
  additionalProperties: ['x', 3, false, [], null, { type: 3 }],
  properties: [{ b: 1 }, { b: null }, 'x', [], { b: { properties: { c: 2 } } }],
  enum: ['x', {}, [], [3, 'a', null, {}]],
  type: [3, ['string'], null],
  required: ['x', [3], {}, [null]],
  default: [null, 'x', '', false, 0, [], {}],
  maxLength: ['1', 1.5, -1],
  uniqueItems: ['true'],
  nullable: [1],
  allOf: ['x', {}, [3], [null], [{ type: 3 }]],
  not: ['x', [], { type: 3 }],
  dependencies: ['x', { b: 3 }, { b: ['x'] }, { b: [3] }, { b: { type: 3 } }],
  externalDocs: [{ url: 3 }],
  'x-kubernetes-validations': [[3], [{ rule: 3 }], [{ rule: 'true', optionalOldSelf: 'x' }], [null]],
  'x-kubernetes-list-type': [3, '', 'atomic'],
  'x-kubernetes-map-type': ['', 'atomic'],
};

/** Sends definitions with wrong types within their schemas. */
export async function definitionFaults(client: RawClient): Promise<Fact[]> {
  const schemas: readonly unknown[] = [
    ...Object.entries(VALUES).flatMap(([field, values]) => values.map((value) => ({ type: 'object', [field]: value }))),
    ...['x', 3, true, [], null],
  ];
  const facts: Fact[] = [];
  for (const place of PLACES) {
    for (const schema of schemas) {
      const body = definition('faults', place(schema));
      facts.push(
        await write(client, { asked: JSON.stringify(place(schema)), path: `${DEFINITIONS}?dryRun=All`, body }),
      );
    }
  }
  return facts;
}
