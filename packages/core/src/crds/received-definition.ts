import type { CustomResourceDefinition, DeepReadonly, Reader } from '@mcr/client';
import { CustomResourceDefinition as Crd, foundText, shortened } from '@mcr/client';
import * as z from 'zod';

/** An optional value. Go programs send null for an empty one. */
const text = z.string().nullish();
const flag = z.boolean().nullish();

/** The fields that are compared, except for those in the schemas of versions. */
const schema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    resourceVersion: text,
    annotations: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z.looseObject({
    scope: z.string(),
    names: z.looseObject({ kind: z.string() }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        served: flag,
        storage: flag,
        schema: z.looseObject({ openAPIV3Schema: z.looseObject({}).nullish() }).nullish(),
      }),
    ),
    conversion: z.looseObject({ strategy: text }).nullish(),
  }),
  status: z
    .looseObject({
      storedVersions: z.array(z.string()).nullish(),
      conditions: z
        .array(z.looseObject({ type: z.string(), status: z.string(), reason: text, message: text }))
        .nullish(),
    })
    .nullish(),
});

/** Reads a CRD from the API server. @throws {Error} if the response is not this CRD. */
export async function readDefinition(
  reader: Pick<Reader, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<DeepReadonly<CustomResourceDefinition>> {
  const definition = await reader.get(Crd, { name }, { signal });
  checkReceived(name, definition);
  return definition;
}

/**
 * Checks a CRD that a cluster has returned.
 *
 * @throws {Error} that names the first wrong field, or the CRD that was returned instead.
 */
export function checkReceived(name: string, definition: DeepReadonly<CustomResourceDefinition>): void {
  const subject = `CRD ${name}: the response of the cluster is not this CRD`;
  const remedy = 'check which server the endpoint of the cluster leads to';
  const { error } = schema.safeParse(definition, { error: expectation });
  const [issue] = error?.issues ?? [];
  if (issue) throw new Error(`${subject}: ${fieldOf(issue.path)}: ${issue.message}: ${remedy}`);
  const { name: found } = definition.metadata;
  if (found !== name)
    throw new Error(`${subject}: metadata.name: expected ${name}, found ${shortened(found, 256)}: ${remedy}`);
}

/** Returns the path of a field, such as `spec.versions[0].name`. */
function fieldOf(path: readonly PropertyKey[]): string {
  const joined = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return joined.replace(/^\./, '');
}

function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const article = /^[aeiou]/.test(issue.expected) ? 'an' : 'a';
  return `expected ${article} ${issue.expected}, found ${foundText(issue.input)}`;
}
