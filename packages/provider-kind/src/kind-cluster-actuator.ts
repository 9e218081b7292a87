import { createHash } from 'node:crypto';
import { parseKubeconfig } from '@mcr/core';
import { z } from 'zod';
import type { KindBinaryOptions } from './kind-binary.ts';
import { createKindBinary, type KindBinary } from './kind-binary.ts';
import { isKindError } from './kind-error.ts';

/** What is read of the object that describes a cluster: a `ClusterResource` of `@mcr/provider-capi`. */
export interface DescribedCluster {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec?: { readonly providerSpec?: { readonly value?: unknown } };
  /** It has endpoints once the cluster was made. */
  readonly status?: { readonly apiEndpoints?: readonly unknown[] };
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
type ProviderSpec = z.infer<typeof providerSpecSchema>;

/** A Kind cluster's name and `-control-plane` make a host name, of 63 characters at most; a dash and the hash take 17. */
const LONGEST_READABLE = 63 - '-control-plane'.length - 17;

/** What Kind says of a node that runs and never became one of a cluster; of one that has stopped it says something else. */
const NEVER_MADE = /\/etc\/kubernetes\/admin\.conf: No such file or directory/;

/**
 * Makes Kind clusters of the clusters that are described, named `<namespace>-<name>-<hash of both>`, cut before the hash
 * where that is too long. Fits what `createClusterController` of `@mcr/provider-capi` calls. A call lasts until the cluster is
 * made, which takes about a minute.
 */
export class KindClusterActuator {
  readonly #kind: KindBinary;
  /** Those that this process began to make, and did not finish. */
  readonly #unfinished = new Set<string>();

  constructor(options: KindBinaryOptions = {}) {
    this.#kind = createKindBinary(options);
  }

  /**
   * Makes the cluster, unless it is there. What it was made of does not change. One that was begun to be made, and never
   * was ready, is deleted and made again.
   *
   * @throws {TypeError} that names the field of `spec.providerSpec.value` that cannot be used.
   * @throws {KindError} when Kind cannot make it.
   */
  async reconcile(cluster: DescribedCluster, { signal }: { readonly signal: AbortSignal }): Promise<KindCluster> {
    const { data: spec, error } = providerSpecSchema.safeParse(cluster.spec?.providerSpec?.value ?? {});
    if (error) throw new TypeError(`spec.providerSpec.value: ${z.prettifyError(error)}`);
    const kubeconfig = (await this.#find(cluster, signal)) ?? (await this.#make(cluster, spec, signal));
    const { hostname, port } = new URL(parseKubeconfig(kubeconfig, { policy: 'untrusted' }).server);
    return { apiEndpoints: [{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || 443 }], kubeconfig };
  }

  /** Deletes the cluster; all of it is gone then. @throws {KindError} when Kind cannot. */
  async delete(cluster: DescribedCluster, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    const name = nameOf(cluster);
    await this.#kind.delete(name, signal);
    this.#unfinished.delete(name);
    return true;
  }

  /** The kubeconfig of the cluster, if it is there as a whole. */
  async #find(cluster: DescribedCluster, signal: AbortSignal): Promise<string | undefined> {
    const name = nameOf(cluster);
    if (this.#unfinished.has(name) || !(await this.#kind.clusters(signal)).includes(name)) return undefined;
    try {
      return await this.#kind.kubeconfig(name, signal);
    } catch (error) {
      // What does not answer, perhaps for a moment, may hold what somebody put into it: also when it was made for a hub
      // that has since been set up anew, and says nothing of it.
      const wasMade = (cluster.status?.apiEndpoints ?? []).length > 0;
      if (wasMade || !isKindError(error) || !NEVER_MADE.test(error.message)) throw error;
      return undefined;
    }
  }

  /** What is left of an earlier try, whose end nobody saw, goes first. */
  async #make(cluster: DescribedCluster, { image }: ProviderSpec, signal: AbortSignal): Promise<string> {
    const name = nameOf(cluster);
    this.#unfinished.add(name);
    await this.#kind.delete(name, signal);
    const kubeconfig = await this.#kind.create(name, { ...(image !== undefined && { image }), signal });
    this.#unfinished.delete(name);
    return kubeconfig;
  }
}

/** The hash tells `a-b` in the namespace `team` from `b` in `team-a`, and those that are cut from one another. */
function nameOf({ metadata: { namespace = '', name } }: DescribedCluster): string {
  const hash = createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 16);
  const readable = [namespace, name].filter(Boolean).join('-').slice(0, LONGEST_READABLE);
  return `${readable.replace(/[-.]+$/, '')}-${hash}`;
}

/** Creates an actuator that creates and deletes Kind clusters. */
export function createKindClusterActuator(options: KindBinaryOptions = {}): KindClusterActuator {
  return new KindClusterActuator(options);
}
