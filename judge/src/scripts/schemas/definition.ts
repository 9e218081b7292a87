import { setTimeout as sleep } from 'node:timers/promises';
import type { RawClient } from '../../../../packages/apiserver/src/raw-client.fixture.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const GROUP = 'schemas.example.com';

/** Time until a new definition has an effect, in milliseconds. */
export const DEADLINE = 30_000;

/** Returns the definition of a kind. @param schema that of its objects. */
export function definition(plural: string, schema: unknown): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind: `Kind${plural}` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Creates a kind, and waits until its objects can be created. Returns the path of its objects. */
export async function serve(client: RawClient, plural: string, schema: unknown): Promise<string> {
  await client.post(DEFINITIONS, definition(plural, schema));
  const path = `/apis/${GROUP}/v1/namespaces/default/${plural}`;
  const probe = { apiVersion: `${GROUP}/v1`, kind: `Kind${plural}`, metadata: { name: 'probe' } };
  const end = performance.now() + DEADLINE;
  for (;;) {
    const { status } = await client.post(`${path}?dryRun=All`, probe);
    if (status === 201) return path;
    if (performance.now() > end) throw new Error(`${plural}: the server answers ${status} to a create`);
    await sleep(50);
  }
}
