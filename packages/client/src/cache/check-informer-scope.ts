import * as z from 'zod';
import { checkKind } from '../kinds/check-kind.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import { labelSelectorSchema } from '../kinds/names.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { parseOptions } from '../options/parse-options.ts';
import { shardSchema } from '../shards/shard.ts';
import type { InformerScope } from './cache.ts';

/** Validates {@link InformerScope}. */
export const informerScopeSchema = z.strictObject({
  namespaces: z.array(z.string()).optional(),
  labelSelector: labelSelectorSchema.optional(),
  fieldSelector: z.string('expected a selector such as "metadata.name=web"').optional(),
  shard: shardSchema.optional(),
} satisfies Record<keyof InformerScope, z.ZodType>);

/**
 * Refuses a scope with an unknown or wrong option: a misspelt selector would select everything.
 *
 * @throws {TypeError} that names the option, or if `kind` is not a kind.
 */
export function checkInformerScope(call: string, kind: Kind<KubernetesObject>, scope: unknown): void {
  checkKind(call, kind);
  if (scope !== undefined) parseOptions(`${call} of ${kindText(kind)}`, informerScopeSchema, scope);
}
