import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Applies } from './apply-pace.ts';

/** A state of a placed object that was found to be the desired one. */
export interface VerifiedObject {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Digest of what was applied. */
  readonly digest: string;
  /** Digest of the fields that the API server recorded for the last apply of this process. Default: not known. */
  readonly fields: string | undefined;
  /** The applies of this process. Default: none. */
  readonly applies: Applies | undefined;
}

/** The objects of one owner in one cluster that this process has verified, by the text of their kind and key. */
export interface VerifiedOwner {
  readonly objects: Map<string, VerifiedObject>;
  /** Whether the record must be read from the API server, because the cached one may be outdated. */
  mustReadRecord: boolean;
  /** When a failure was last written to the record, in milliseconds. Default: never. */
  failureRecordedAt: number | undefined;
}

/**
 * Remembers which versions of placed objects have the desired state, so that a reconcile that changes nothing sends no
 * request. A cluster that is engaged again starts without memory, because another process may have served it.
 */
export class VerifiedObjects {
  readonly #clusters = new Map<
    ClusterName,
    { readonly cluster: Cluster; readonly owners: Map<string, VerifiedOwner> }
  >();

  /** Returns what is known about an owner in a cluster, to be changed in place. */
  of(clusterName: ClusterName, cluster: Cluster, owner: string): VerifiedOwner {
    let known = this.#clusters.get(clusterName);
    if (known?.cluster !== cluster) {
      known = { cluster, owners: new Map() };
      this.#clusters.set(clusterName, known);
    }
    let verified = known.owners.get(owner);
    if (!verified) {
      verified = { objects: new Map(), mustReadRecord: true, failureRecordedAt: undefined };
      known.owners.set(owner, verified);
    }
    return verified;
  }

  /** Records an event about an object of an owner. */
  observed(clusterName: ClusterName, owner: string, object: string): void {
    const verified = this.#clusters.get(clusterName)?.owners.get(owner);
    if (verified && !verified.objects.has(object)) verified.mustReadRecord = true;
  }

  /** Forgets an owner in one cluster. */
  forgetOwner(clusterName: ClusterName, owner: string): void {
    this.#clusters.get(clusterName)?.owners.delete(owner);
  }

  /** Forgets a cluster that this process no longer serves. */
  forgetCluster(clusterName: ClusterName): void {
    this.#clusters.delete(clusterName);
  }
}
