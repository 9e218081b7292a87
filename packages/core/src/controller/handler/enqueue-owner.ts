import type { Kind, KubernetesObject, Scope } from '@mcr/client';
import { isNoKindMatch, kindText, parseApiVersion } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ObjectEvent } from '../event/event.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { EventHandler } from './event-handler.ts';

/** Options of {@link enqueueRequestForOwner}. */
export interface OwnerOptions {
  /** Whether to add only the owner that is the controller of the object. Default: false; every owner of the kind. */
  readonly onlyController?: boolean;
  /** Whether the requests have the uid of the owner, for a controller that is sharded by uid. Default: false. */
  readonly uid?: boolean;
}

/**
 * Returns a handler that adds requests for the owners of an object whose kind is `owner`, in the cluster of the event.
 * Kinds are compared by group and kind, without the version. Whether the owner has a namespace is determined by
 * `owner.scope`, or by the REST mapper of the cluster if the kind has no scope. (Upstream:
 * `handler.EnqueueRequestForOwner`.)
 */
export function enqueueRequestForOwner(
  owner: Kind<KubernetesObject>,
  options: OwnerOptions = {},
): EventHandler<KubernetesObject> {
  const { scope } = owner;
  if (scope) return enqueueOwner(owner, { ...options, scope });
  const prepare = async (cluster: Cluster): Promise<EventHandler<KubernetesObject>> => {
    let scope = await scopeOf(owner, cluster);
    return async (event, context) => {
      if (ownersIn(event, owner, options).next().done) return;
      // Read for each event, because the definition of the kind may be replaced. The REST mapper answers from memory.
      scope = await scopeOf(owner, cluster).catch((error: unknown) => {
        if (error instanceof Error && isNoKindMatch(error.cause)) return scope;
        throw error;
      });
      await enqueueOwner(owner, { ...options, scope })(event, context);
    };
  };
  /** Handler for sources that do not call `prepare`. */
  const handler: EventHandler<KubernetesObject> = async (event, context) => {
    if (ownersIn(event, owner, options).next().done) return;
    if (!context.cluster) {
      throw new TypeError(
        `the scope of the owner kind ${kindText(owner)} is unknown, and the event has no cluster with a REST mapper: define the kind with its scope`,
      );
    }
    const prepared = await prepare(context.cluster);
    await prepared(event, context);
  };
  return Object.assign(handler, { prepare });
}

function enqueueOwner(
  owner: Kind<KubernetesObject>,
  { scope, ...options }: OwnerOptions & { readonly scope: Scope },
): EventHandler<KubernetesObject> {
  return (event, { queue }) => {
    const { clusterName } = event;
    for (const { namespace, ...ofOwner } of ownersIn(event, owner, options)) {
      queue.add({ clusterName, namespace: scope === 'Cluster' ? '' : namespace, ...ofOwner });
    }
  };
}

/** Yields each owner of the kind once: its name, its uid if it is wanted, and the namespace of the object. */
function* ownersIn(
  event: ObjectEvent,
  owner: Kind<KubernetesObject>,
  { onlyController = false, uid: hasUid = false }: OwnerOptions,
): Generator<Omit<ReconcileRequest, 'clusterName'>, void, undefined> {
  const { group } = parseApiVersion(owner.apiVersion);
  const states = event.type === 'update' ? [event.oldMetadata, event.metadata] : [event.metadata];
  // The old and the new object of an update usually have the same owner, which must be added once.
  const seen: string[] = [];
  for (const { namespace = '', ownerReferences = [] } of states) {
    for (const { apiVersion, kind, name, uid, controller } of ownerReferences) {
      if (kind !== owner.kind || parseApiVersion(apiVersion).group !== group) continue;
      const identity = hasUid ? uid : name;
      if ((onlyController && !controller) || seen.includes(identity)) continue;
      seen.push(identity);
      yield { namespace, name, ...(hasUid && { uid }) };
    }
  }
}

async function scopeOf(owner: Kind<KubernetesObject>, { restMapper }: Cluster): Promise<Scope> {
  try {
    return (await restMapper.resolve(owner)).scope;
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(
      `the scope of the owner kind ${kindText(owner)} is unknown: ${why}: fix discovery, or define the kind with its scope`,
      { cause: error },
    );
  }
}
