import type { DeepReadonly } from '@mcr/core';
import { checkedField } from '@mcr/core/provider';
import * as z from 'zod';
import type { AnyCluster } from './cluster-api.ts';

const text = z.string('expected a string').nullish();
const object = <T extends z.core.$ZodLooseShape>(shape: T) => z.looseObject(shape, 'expected an object').nullish();

/** The fields that determine readiness, in all versions. `null` means not set. */
const statusSchema = object({
  phase: text,
  conditions: z
    .array(
      z.looseObject(
        { type: z.string('expected a string'), status: z.string('expected a string') },
        'expected an object',
      ),
      'expected an array',
    )
    .nullish(),
  initialization: object({ controlPlaneInitialized: z.boolean('expected a boolean').nullish() }),
  apiEndpoints: z.array(z.unknown(), 'expected an array').nullish(),
  errorReason: text,
  errorMessage: text,
});

/**
 * Checks the types of a Cluster's fields, because its CustomResourceDefinition may not do so, and returns it.
 *
 * @throws {TerminalError} if a field has a wrong type; the message names it.
 */
export function checkedCluster(cluster: DeepReadonly<AnyCluster>): DeepReadonly<AnyCluster> {
  checkedField('spec', object({}), cluster.spec);
  checkedField('status', statusSchema, cluster.status);
  return cluster;
}
