import type { Kind, KubernetesObject } from '@mcr/client';
import { ConfigMap, partialMetadata } from '@mcr/client';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Manager } from '../../manager/manager.ts';
import type { Permission } from '../../permissions/permission.ts';
import { clusterFilterOf } from '../builder/engage-options.ts';
import { enqueueRequestForFleetOwner } from '../handler/enqueue-fleet-owner.ts';
import type { ReconcileFunction } from '../reconcile/reconciler.ts';
import { clusterSource } from '../source/cluster-source.ts';
import { kindSource } from '../source/kind-source.ts';
import type { Source } from '../source/source.ts';
import { MemberReconciler } from './member-reconciler.ts';
import { OwnerReconciler } from './owner-reconciler.ts';
import type { PlacementOptions } from './placement-options.ts';
import { placementPermissions } from './placement-permissions.ts';
import { checkPlacement } from './placement-options.ts';
import { PlacementOwners } from './placement-owners.ts';
import { placedScope } from './placement-record.ts';
import { PlacementRecords } from './placement-records.ts';
import { isSignificant, PlacementRequests } from './placement-requests.ts';
import { VerifiedObjects } from './verified-objects.ts';

/** Default of {@link PlacementOptions.statusInterval}. */
const STATUS_INTERVAL = 1_000;

/** The parts of a controller that places objects. */
export interface Placement {
  readonly permissions: readonly Permission[];
  readonly sources: readonly Source[];
  readonly reconcile: ReconcileFunction;
}

/**
 * Creates the sources and the reconciler of a placement.
 *
 * @throws {TypeError} if an option or the name of the controller is invalid, or the manager has no local cluster.
 */
export function createPlacement<T extends KubernetesObject>(
  controller: string,
  manager: Manager,
  kind: Kind<T>,
  options: PlacementOptions<T>,
): Placement {
  checkPlacement(kind, options);
  if (!/^[a-z0-9]([-a-z0-9.]{0,48}[a-z0-9])?$/.test(controller)) {
    throw new TypeError(
      `controller ${JSON.stringify(controller)}: the name becomes a label of placed objects: use at most 50 lower-case letters, digits, "-" and "."`,
    );
  }
  if (!manager.hasLocalCluster) {
    throw new TypeError(
      `places(${kind.kind}): the owners are in the local cluster: set "config" of createManager to it`,
    );
  }
  const hub = manager.localManager.cluster;
  const owners = new PlacementOwners(controller, hub, kind, options);
  const { finalizer } = owners;
  const records = new PlacementRecords({ controller, hub, kind, finalizer, recordNamespace: options.recordNamespace });
  const verified = new VerifiedObjects();
  const requests = new PlacementRequests(records, verified, manager.logger.child({ controller }));
  const parts = { controller, options, owners, records, clock: manager.clock };
  const memberReconciler = new MemberReconciler({ ...parts, verified });
  const ownerReconciler = new OwnerReconciler({ ...parts, hub, fleet: manager.fleet });
  const isHub = (name: ClusterName) => name === LOCAL_CLUSTER;
  const ofMember = enqueueRequestForFleetOwner(kind, { hub, requestIn: 'member' });
  return {
    permissions: placementPermissions(kind, options),
    sources: [
      kindSource(kind, requests.ofOwner, { ...owners.scope, predicates: [isSignificant], clusterFilter: isHub }),
      kindSource(ConfigMap, requests.ofRecord, {
        labelSelector: records.labelSelector,
        debounce: options.statusInterval ?? STATUS_INTERVAL,
        clusterFilter: isHub,
      }),
      clusterSource(requests.ofCluster, { predicates: [({ type }) => type !== 'phase'] }),
      ...options.kinds.map((each) =>
        kindSource(partialMetadata(each), requests.ofPlaced(each, ofMember), {
          ...placedScope(controller),
          predicates: [isSignificant],
          clusterFilter: clusterFilterOf({ local: false, provider: true }, manager),
        }),
      ),
    ],
    reconcile: (request, context) =>
      request.clusterName === LOCAL_CLUSTER
        ? ownerReconciler.reconcile(request, context)
        : memberReconciler.reconcile(request, context),
  };
}
