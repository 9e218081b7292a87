import type { ClusterStatus, ShardingStatus } from '@mcr/core';
import * as z from 'zod';

const count = z.number().int().nonnegative();
/** Milliseconds since the Unix epoch, as far as JavaScript counts them. */
const time = z.number().min(-8.64e15).max(8.64e15);

const transitionSchema = z.looseObject({ phase: z.string(), at: time, reason: z.string() });

const clusterSchema = z.looseObject({
  name: z.string(),
  phase: z.string(),
  since: time,
  reason: z.string(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  lastError: z.string().exactOptional(),
  lastErrorAt: time.exactOptional(),
  ownership: z.looseObject({ state: z.string(), owner: z.string().exactOptional() }).exactOptional(),
  isolation: z.looseObject({ state: z.string(), since: time, reason: z.string() }).exactOptional(),
  sources: z.record(
    z.string(),
    z.looseObject({ synced: z.boolean(), objects: count, staleFor: z.number().exactOptional() }),
  ),
  objects: count,
  cachedBytes: count.exactOptional(),
  reconciles: count,
  errors: count,
  history: z.array(transitionSchema),
} satisfies Record<keyof ClusterStatus, z.ZodType>);

/** The status of a cluster as a manager serves it. Phases and states are texts, because a newer manager may have others. */
export type ServedCluster = z.infer<typeof clusterSchema>;

/** Checks the response of `/fleet`, which need not come from a manager. Unknown fields are kept. */
export const replicaStatusSchema = z.looseObject({
  sharding: z
    .looseObject({ replica: z.string() } satisfies Partial<Record<keyof ShardingStatus, z.ZodType>>)
    .exactOptional(),
  clusters: z.array(clusterSchema),
});

/** The status of the clusters of one replica. */
export type ReplicaStatus = z.infer<typeof replicaStatusSchema>;
