import type { DeepReadonly } from '@mcr/core';
import { checkedField } from '@mcr/core/provider';
import { z } from 'zod';
import type { AnyCluster } from './cluster-api.ts';

const text = z.string('expected a string').nullish();
const object = <T extends z.core.$ZodLooseShape>(shape: T) => z.looseObject(shape, 'expected an object').nullish();

/** The fields that the readiness of a Cluster depends on, in all versions. `null` is a field that is not set. */
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
 * Returns `cluster`, whose definition may leave the types of its fields open.
 *
 * @throws {TerminalError} that names the field that has a wrong type.
 */
export function checkedCluster(cluster: DeepReadonly<AnyCluster>): DeepReadonly<AnyCluster> {
  checkedField('spec', object({}), cluster.spec);
  checkedField('status', statusSchema, cluster.status);
  return cluster;
}
