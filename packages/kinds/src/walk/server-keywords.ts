import type * as core from 'zod/v4/core';
import type { ServerKeywords, StructuralSchema } from '../structural/structural-schema.ts';

/** Key in the `params` of a check that holds the keywords of `k8s.onServer()`. */
export const ON_SERVER = 'mcr.kinds.onServer';

/** Returns the keywords of `k8s.onServer()` in the definition of a check. */
export function serverKeywordsIn(def: object): ServerKeywords | undefined {
  const { params } = def as { readonly params?: Readonly<Record<string, unknown>> };
  const keywords = params?.[ON_SERVER];
  return typeof keywords === 'object' && keywords !== null ? keywords : undefined;
}

/** Replaces the keywords that `k8s.onServer()` sets. */
export function withServerKeywords(structural: StructuralSchema, schema: core.$ZodType): StructuralSchema {
  const result: Record<string, unknown> = { ...structural };
  for (const check of schema._zod.def.checks ?? []) {
    for (const [name, value] of Object.entries(serverKeywordsIn(check._zod.def) ?? {})) {
      if (value === undefined) Reflect.deleteProperty(result, name);
      else result[name] = value;
    }
  }
  return result;
}
