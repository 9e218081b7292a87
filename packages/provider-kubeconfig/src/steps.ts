import type { ApiClient, Kind, KubernetesObject, Mutate, ObjectKey, WriteOutcome } from '@mcr/core';
import { createOrUpdate } from '@mcr/core';
import { objectKeyText } from '@mcr/core/provider';

/** The result for one object. */
export interface AccessStep {
  readonly cluster: 'member' | 'hub';
  readonly kind: string;
  /** Name, with the namespace if there is one. */
  readonly object: string;
  readonly result: WriteOutcome<KubernetesObject>['result'];
}

export interface StepOptions {
  /** Writes nothing, and reports what would change. */
  readonly isDryRun: boolean;
  readonly onStep: (step: AccessStep) => void;
}

export type Make = <T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, mutate: Mutate<T>) => Promise<void>;

/** Returns a function that creates or updates an object, and reports the result. */
export function makerFor(cluster: AccessStep['cluster'], client: ApiClient, { isDryRun, onStep }: StepOptions): Make {
  return async (kind, key, mutate) => {
    const { result } = await createOrUpdate(isDryRun ? readOnly(client) : client, kind, key, mutate);
    onStep({ cluster, kind: kind.kind, object: objectKeyText(key), result });
  };
}

/** A dry run by the API server would refuse objects in a namespace that does not exist yet. */
function readOnly(client: ApiClient): Pick<ApiClient, 'find' | 'create' | 'update'> {
  return {
    find: (...read) => client.find(...read),
    // Only the result of the write is used, not the object.
    create: async (_, draft) => draft as never,
    update: async (_, draft) => draft as never,
  };
}
