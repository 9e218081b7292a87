import type { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';
import type { Fact } from '../session.ts';
import { serve } from './definition.ts';
import { write } from './write.ts';

/** Texts of numbers in JSON. The embedded API server refuses integers whose digits a double does not hold. */
const NUMBERS = [
  ...['1', '1e18', '1e300', '-1e300', '1.0', '-0', '-0.0', '1e0', '1e2', '1.5', '1.0000000001', '9007199254740992'],
  ...['9007199254740992.0', '9223372036854775808', '-9223372036854775809', '18446744073709551616', '2147483647'],
  ...['2147483648', '-2147483649', '1e9', '3e9', '1e-400', '1e400'],
];

/** Texts of numbers in YAML. */
const YAML = ['1e18', '0x10', '0o17', '017', '1_000', '.5', '.inf', '-.inf', '.nan', '1e3', '-0x10', '1e21', '1:30'];

const integer = { type: 'integer' };

const fields = {
  i: integer,
  i32: { ...integer, format: 'int32' },
  n: { type: 'number' },
  x: { 'x-kubernetes-int-or-string': true },
  s: { type: 'string' },
  most: { ...integer, maximum: 100 },
  multiple: { type: 'number', multipleOf: 2 },
};

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';

/** Sends numbers in fields of custom and built-in kinds, in creates and applies. */
export async function numbers(client: RawClient): Promise<Fact[]> {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: fields } } };
  const path = await serve(client, 'numbers', schema);
  const custom = (field: string, value: string): string =>
    `{"apiVersion":"schemas.example.com/v1","kind":"Kindnumbers","metadata":{"name":"a"},"spec":{"${field}":${value}}}`;
  const facts: Fact[] = [];
  for (const field of Object.keys(fields)) {
    for (const value of NUMBERS) facts.push(...(await writes(client, path, custom(field, value))));
    for (const value of YAML) {
      const yaml = custom(field, value).replaceAll(':', ': ');
      facts.push(...(await writes(client, path, yaml, 'application/yaml')));
    }
  }
  for (const value of NUMBERS) {
    facts.push(...(await writes(client, DEPLOYMENTS, deployment(value))));
    facts.push(...(await writes(client, PODS, pod(value))));
  }
  return facts;
}

async function writes(client: RawClient, path: string, body: string, type = 'application/json'): Promise<Fact[]> {
  const apply = 'application/apply-patch+yaml';
  const applied = `${path}/a?dryRun=All&fieldManager=numbers`;
  return [
    await write(client, { asked: `create ${body}`, path: `${path}?dryRun=All`, type, body }),
    await write(client, { asked: `apply ${body}`, method: 'PATCH', path: applied, type: apply, body }),
  ];
}

function deployment(replicas: string): string {
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
  const spec = { replicas: '?', selector: { matchLabels: labels }, template };
  return JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec }).replace(
    '"?"',
    replicas,
  );
}

function pod(seconds: string): string {
  const spec = { activeDeadlineSeconds: '?', containers: [{ name: 'a', image: 'b' }] };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec }).replace('"?"', seconds);
}
