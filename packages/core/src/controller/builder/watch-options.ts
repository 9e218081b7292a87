import { informerScopeSchema, labelSelectorSchema, namespaceSchema, parseOptions } from '@mcr/client';
import * as z from 'zod';
import { sourceTimingSchemas } from '../source/source-timing.ts';
import { engageOptionsSchema } from './engage-options.ts';

const method = z.custom((value) => typeof value === 'function', 'expected a function');

const watchOptionsSchema = z.strictObject({
  predicates: z.array(method).exactOptional(),
  engage: engageOptionsSchema.exactOptional(),
  metadataOnly: z.boolean().exactOptional(),
  project: method.exactOptional(),
  namespaces: z.array(z.literal('').or(namespaceSchema)).exactOptional(),
  labelSelector: labelSelectorSchema.exactOptional(),
  fieldSelector: z.string().exactOptional(),
  shard: informerScopeSchema.shape.shard,
  ...sourceTimingSchemas,
});

/** @throws {TypeError} that names the call and the option that is unknown or wrong. */
export function checkWatchOptions(call: string, options: object): void {
  parseOptions(call, watchOptionsSchema, options);
}
