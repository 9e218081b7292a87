import { createHash } from 'node:crypto';
import { parseKubeconfig } from '@mcr/core';
import * as z from 'zod';
import type { KindBinaryOptions } from './kind-binary.ts';
import { createKindBinary, type KindBinary } from './kind-binary.ts';
import { isKindError } from './kind-error.ts';

/** The fields of a `ClusterResource` of `@mcr/provider-capi` that the actuator reads. */
export interface DescribedCluster {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec?: { readonly providerSpec?: { readonly value?: unknown } };
  /** The endpoints are set after the cluster was created. */
  readonly status?: { readonly apiEndpoints?: readonly unknown[] };
}

/** A cluster that exists. */
export interface KindCluster {
  readonly apiEndpoints: readonly { readonly host: string; readonly port: number }[];
  readonly kubeconfig: string;
}

/** Schema of `spec.providerSpec.value`. */
const providerSpecSchema = z.strictObject({
  /** Image of the nodes, which determines the version of Kubernetes. Default: that of the Kind version. */
  image: z.string().min(1).optional(),
});
type ProviderSpec = z.infer<typeof providerSpecSchema>;

/** A Kind cluster's name plus `-control-plane` is a host name of at most 63 characters. A dash and the hash take 17. */
const LONGEST_READABLE = 63 - '-control-plane'.length - 17;

/** Kind's error for a node that runs and never joined a cluster. A stopped node has another error. */
const NEVER_MADE = /\/etc\/kubernetes\/admin\.conf: No such file or directory/;

/**
 * Creates and deletes Kind clusters for `createClusterController` of `@mcr/provider-capi`. They are named
 * `<namespace>-<name>-<hash of both>`, shortened before the hash if necessary. A call returns when the cluster exists, which
 * takes about a minute.
 */
export class KindClusterActuator {
  readonly #kind: KindBinary;
  /** The clusters whose creation this process started and did not finish. */
  readonly #unfinished = new Set<string>();

  constructor(options: KindBinaryOptions = {}) {
    this.#kind = createKindBinary(options);
  }

  /**
   * Creates the cluster unless it exists. Later changes of the spec have no effect. A cluster whose creation was interrupted
   * is deleted and created again.
   *
   * @throws {TypeError} if `spec.providerSpec.value` is invalid; the message names the field.
   * @throws {KindError} if Kind cannot create it.
   */
  async reconcile(cluster: DescribedCluster, { signal }: { readonly signal: AbortSignal }): Promise<KindCluster> {
    const { data: spec, error } = providerSpecSchema.safeParse(cluster.spec?.providerSpec?.value ?? {});
    if (error) throw new TypeError(`spec.providerSpec.value: ${z.prettifyError(error)}`);
    const kubeconfig = (await this.#find(cluster, signal)) ?? (await this.#make(cluster, spec, signal));
    const { hostname, port } = new URL(parseKubeconfig(kubeconfig, { policy: 'untrusted' }).server);
    return { apiEndpoints: [{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || 443 }], kubeconfig };
  }

  /** Deletes the cluster completely. @throws {KindError} if Kind cannot. */
  async delete(cluster: DescribedCluster, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    const name = nameOf(cluster);
    await this.#kind.delete(name, signal);
    this.#unfinished.delete(name);
    return true;
  }

  /** Returns the kubeconfig of the cluster, if it exists completely. */
  async #find(cluster: DescribedCluster, signal: AbortSignal): Promise<string | undefined> {
    const name = nameOf(cluster);
    if (this.#unfinished.has(name) || !(await this.#kind.clusters(signal)).includes(name)) return undefined;
    try {
      return await this.#kind.kubeconfig(name, signal);
    } catch (error) {
      // A cluster that does not respond may contain user data, also if the hub was recreated and its status is empty.
      const wasMade = (cluster.status?.apiEndpoints ?? []).length > 0;
      if (wasMade || !isKindError(error) || !NEVER_MADE.test(error.message)) throw error;
      return undefined;
    }
  }

  /** Deletes the remains of an interrupted creation first. */
  async #make(cluster: DescribedCluster, { image }: ProviderSpec, signal: AbortSignal): Promise<string> {
    const name = nameOf(cluster);
    this.#unfinished.add(name);
    await this.#kind.delete(name, signal);
    const kubeconfig = await this.#kind.create(name, { ...(image !== undefined && { image }), signal });
    this.#unfinished.delete(name);
    return kubeconfig;
  }
}

/** The hash distinguishes `a-b` in the namespace `team` from `b` in `team-a`, and names that were shortened. */
function nameOf({ metadata: { namespace = '', name } }: DescribedCluster): string {
  const hash = createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 16);
  const readable = [namespace, name].filter(Boolean).join('-').slice(0, LONGEST_READABLE);
  return `${readable.replace(/[-.]+$/, '')}-${hash}`;
}

/** Creates an actuator that creates and deletes Kind clusters. */
export function createKindClusterActuator(options: KindBinaryOptions = {}): KindClusterActuator {
  return new KindClusterActuator(options);
}
