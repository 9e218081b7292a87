import { z } from 'zod';
import { clientOptionSchemas } from './client-options.ts';
import type { ClusterOptions } from './create-cluster.ts';

/** Options that a provider accepts for all of its clusters. It sets the rest of {@link ClusterOptions} itself. */
type MemberOptions = Omit<ClusterOptions, 'name' | 'info'>;

const object = z.custom((value) => typeof value === 'object' && value !== null, 'expected an object').optional();

/** Checks the option `clusterOptions` of a provider. Options that `createCluster` does not know are refused. */
export const clusterOptionsSchema = z.strictObject({
  cache: object,
  ...clientOptionSchemas,
  listSlots: object,
  logger: object,
  clock: object,
  tracer: object,
  metrics: object,
  limits: z.record(z.string(), z.number().positive()).optional(),
} satisfies Record<keyof MemberOptions, z.ZodType>);

/** Checks the options of `createCluster` itself. */
export const ownOptionsSchema = clusterOptionsSchema.extend({ name: z.string().optional(), info: object });
