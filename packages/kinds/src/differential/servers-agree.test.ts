import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { isInvalid, type Kind, type KubernetesObject } from '@mcr/client';
import { z } from 'zod';
import { crdOf, defineKind, type StructuralSchema } from '../index.ts';
import { Random } from '../sampling/random.ts';
import { backends, startServer, type TestServer } from '../servers.fixture.ts';
import { schemaOf } from './random-schema.fixture.ts';
import { valueOf, withoutNulls } from './random-value.fixture.ts';

const SEED = Number(process.env['KINDS_SEED'] ?? 1);
const SCHEMAS_OF_KIND = 40;
const KINDS = { embedded: 2, binaries: 12 };
const VALUES_OF_SCHEMA = { embedded: 4, binaries: 15 };
const MAX_DEPTH = 3;

/** A kind whose spec has many fields, each with its own schema. */
interface RandomKind {
  readonly kind: Kind<KubernetesObject>;
  readonly spec: z.ZodType;
  readonly schema: StructuralSchema;
}

function randomKind(random: Random, index: number): RandomKind {
  const fields = Array.from({ length: SCHEMAS_OF_KIND }, (_, at) => [`s${at}`, schemaOf(random, MAX_DEPTH).optional()]);
  const spec = z.object(Object.fromEntries(fields) as Record<string, z.ZodType>);
  const kind = defineKind({
    apiVersion: 'differential.example.com/v1',
    kind: `Judged${index}`,
    plural: `random${index}`,
    scope: 'Cluster',
    spec,
  });
  const schema = crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
  // The model type of a schema and the own type describe the same JSON.
  return { kind, spec, schema: schema as unknown as StructuralSchema };
}

describe.each(backends)('KS-7: zod and the server on %s', (backend) => {
  it('KS-7: agree on random values of random schemas, and on the values that are stored', async () => {
    const random = new Random(SEED);
    const kinds = Array.from({ length: KINDS[backend] }, (_, index) => randomKind(random, index));
    const server = await startServer(
      backend,
      kinds.map(({ kind }) => crdOf(kind)),
    );
    const counts = { accepted: 0, refused: 0 };
    const differences: string[] = [];
    try {
      for (const kind of kinds) {
        const fields = Object.entries(kind.schema.properties ?? {});
        const works = fields.flatMap(([name, field]) =>
          Array.from({ length: VALUES_OF_SCHEMA[backend] }, () => ({ name, field, value: valueOf(field, random) })),
        );
        for (const { name, field, value } of works) {
          const found = await compare(server, kind, { [name]: value });
          counts[found.accepted ? 'accepted' : 'refused'] += 1;
          if (found.difference !== undefined) {
            differences.push(`${JSON.stringify(field)}\n${JSON.stringify(value)}\n${found.difference}`);
          }
        }
      }
    } finally {
      await server.stop();
    }
    if (process.env['KINDS_REPORT']) console.log(backend, counts, differences.length);
    expect(differences.slice(0, 10).join('\n\n')).toBe('');
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(60);
  }, 600_000);
});

async function compare(
  { client }: TestServer,
  { kind, spec, schema }: RandomKind,
  written: object,
): Promise<{ accepted: boolean; difference?: string }> {
  const parsed = spec.safeParse(withoutNulls(schema, written));
  const local = parsed.success ? undefined : z.prettifyError(parsed.error);
  try {
    const object = { metadata: { name: 'random' }, spec: written };
    // The kind is checked by the server only.
    const unchecked: Kind<KubernetesObject> = { ...kind, schema: { safeParse: (data) => ({ success: true, data }) } };
    const stored = (await client.create(unchecked, object, { dryRun: true })) as KubernetesObject & { spec: unknown };
    if (local !== undefined) return { accepted: true, difference: `the server accepts, zod refuses: ${local}` };
    const expected = JSON.parse(JSON.stringify(parsed.data)) as unknown;
    if (isDeepStrictEqual(stored.spec, expected)) return { accepted: true };
    return {
      accepted: true,
      difference: `stored ${JSON.stringify(stored.spec)}, zod returns ${JSON.stringify(expected)}`,
    };
  } catch (error) {
    if (!isInvalid(error)) throw error;
    if (local !== undefined) return { accepted: false };
    return { accepted: false, difference: `zod accepts, the server refuses: ${(error as Error).message}` };
  }
}
