import { createHash } from 'node:crypto';
import { parseKubeconfig } from '@mcr/core';
import { z } from 'zod';
import type { KindBinaryOptions } from './kind-binary.ts';
import { KindBinary } from './kind-binary.ts';

/** What is read of the object that describes a cluster: a `ClusterResource` of `@mcr/provider-capi`. */
export interface DescribedCluster {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec?: { readonly providerSpec?: { readonly value?: unknown } };
}

/** What has been made of one. */
export interface KindCluster {
  readonly apiEndpoints: readonly { readonly host: string; readonly port: number }[];
  readonly kubeconfig: string;
}

/** The format of `spec.providerSpec.value`. */
const providerSpecSchema = z.strictObject({
  /** The image of the nodes, and so the version of Kubernetes. Default: that of this version of Kind. */
  image: z.string().min(1).optional(),
});

/**
 * Makes Kind clusters of the clusters that are described, named `<namespace>-<name>-<hash of both>`. Fits what `clusterController` of
 * `@mcr/provider-capi` calls. A call lasts until the cluster is made, which takes about a minute.
 */
export class KindClusterActuator {
  readonly #kind: KindBinary;

  constructor(options: KindBinaryOptions = {}) {
    this.#kind = new KindBinary(options);
  }

  /**
   * Makes the cluster, unless it is there. What it was made of does not change.
   *
   * @throws {TypeError} that names the field of `spec.providerSpec.value` that cannot be used.
   * @throws {KindError} when Kind cannot make it.
   */
  async reconcile(cluster: DescribedCluster, { signal }: { readonly signal: AbortSignal }): Promise<KindCluster> {
    const { data: spec, error } = providerSpecSchema.safeParse(cluster.spec?.providerSpec?.value ?? {});
    if (error) throw new TypeError(`spec.providerSpec.value: ${z.prettifyError(error)}`);
    const name = nameOf(cluster);
    const isThere = (await this.#kind.clusters(signal)).includes(name);
    const kubeconfig = isThere
      ? await this.#kind.kubeconfig(name, signal)
      : await this.#kind.create(name, { ...(spec.image !== undefined && { image: spec.image }), signal });
    const { hostname, port } = new URL(parseKubeconfig(kubeconfig, { policy: 'untrusted' }).server);
    return { apiEndpoints: [{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || 443 }], kubeconfig };
  }

  /** Deletes the cluster; all of it is gone then. @throws {KindError} when Kind cannot. */
  async delete(cluster: DescribedCluster, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    await this.#kind.delete(nameOf(cluster), signal);
    return true;
  }
}

/** The hash tells `a-b` in the namespace `team` from `b` in `team-a`. */
function nameOf({ metadata: { namespace = '', name } }: DescribedCluster): string {
  const hash = createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 8);
  return [namespace, name, hash].filter(Boolean).join('-');
}
