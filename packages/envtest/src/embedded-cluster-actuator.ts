import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ControlPlane } from './control-plane.ts';
import type { EmbeddedApiServer } from './embedded-api-server.ts';
import { clusterOptionsSchema } from './embedded-api-server.ts';
import type { Credentials } from './kubeconfig.ts';

/** The fields that are read of an object that describes a cluster: a `ClusterResource` of `@mcr/provider-capi`. */
export interface DescribedCluster {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec?: { readonly providerSpec?: { readonly value?: unknown } };
}

/** A control plane that was created for a described cluster. */
export interface EmbeddedCluster {
  readonly apiEndpoints: readonly { readonly host: string; readonly port: number }[];
  readonly kubeconfig: string;
}

/** Schema of `spec.providerSpec.value`. */
const providerSpecSchema = z.strictObject({
  /** Increase it to have new credentials issued. Credentials that were issued before remain valid. */
  credentials: z.int().min(0).default(0),
  /** CustomResourceDefinitions to install. */
  crds: clusterOptionsSchema.shape.crds,
});

interface Made {
  readonly controlPlane: ControlPlane;
  /** Value of `credentials` in the spec that the current credentials were issued for. */
  issuedFor: number;
  credentials: Credentials;
}

/**
 * Creates control planes for described clusters. Implements the actuator that `createClusterController` of
 * `@mcr/provider-capi` expects.
 */
export class EmbeddedClusterActuator {
  readonly #server: EmbeddedApiServer;
  /** Created control planes, by namespace and name. */
  readonly #made = new Map<string, Promise<Made>>();

  /** @param server hosts the control planes. The caller starts and stops it. */
  constructor(server: EmbeddedApiServer) {
    this.#server = server;
  }

  /** Returns the control plane of a described cluster, or `undefined` if there is none. */
  async controlPlane(cluster: DescribedCluster): Promise<ControlPlane | undefined> {
    const made = await this.#made.get(keyOf(cluster));
    return made?.controlPlane;
  }

  /**
   * Starts the control plane if it does not exist, or issues new credentials.
   *
   * @throws {TypeError} that names the invalid field of `spec.providerSpec.value`.
   */
  async reconcile(cluster: DescribedCluster): Promise<EmbeddedCluster> {
    const spec = providerSpecOf(cluster);
    const key = keyOf(cluster);
    let making = this.#made.get(key);
    if (!making) {
      making = this.#make(cluster, spec);
      this.#made.set(key, making);
      // After a failure, the next call tries again.
      making.catch(() => this.#made.delete(key));
    }
    const made = await making;
    if (made.issuedFor !== spec.credentials) {
      made.credentials = await made.controlPlane.issueToken();
      made.issuedFor = spec.credentials;
    }
    const { hostname, port } = new URL(made.credentials.config.server);
    return {
      apiEndpoints: [{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }],
      kubeconfig: made.credentials.kubeconfig,
    };
  }

  /** Stops the control plane and deletes all of its data. */
  async delete(cluster: DescribedCluster): Promise<boolean> {
    const key = keyOf(cluster);
    const made = await this.#made.get(key);
    this.#made.delete(key);
    await made?.controlPlane.stop();
    return true;
  }

  async #make(
    cluster: DescribedCluster,
    { credentials: issuedFor, crds }: z.infer<typeof providerSpecSchema>,
  ): Promise<Made> {
    const controlPlane = await this.#server.createCluster({ name: nameOf(cluster), crds });
    return { controlPlane, issuedFor, credentials: controlPlane };
  }
}

function keyOf({ metadata: { namespace = '', name } }: DescribedCluster): string {
  return `${namespace}/${name}`;
}

/** A DNS label has at most 63 characters. The dash and the hash take 17 of them. */
const LONGEST_READABLE = 63 - 17;

/**
 * Adds a hash, which distinguishes `a-b` in namespace `team` from `b` in `team-a`, and truncated names from one
 * another.
 */
function nameOf(cluster: DescribedCluster): string {
  const { namespace, name } = cluster.metadata;
  const hash = createHash('sha256').update(keyOf(cluster)).digest('hex').slice(0, 16);
  const readable = [namespace, name].filter(Boolean).join('-').slice(0, LONGEST_READABLE);
  return `${readable.replace(/-+$/, '')}-${hash}`;
}

function providerSpecOf({ spec }: DescribedCluster): z.infer<typeof providerSpecSchema> {
  const { data, error } = providerSpecSchema.safeParse(spec?.providerSpec?.value ?? {});
  if (error) throw new TypeError(`spec.providerSpec.value: ${z.prettifyError(error)}`);
  return data;
}

/** Creates an actuator whose clusters are control planes of `server`. */
export function createEmbeddedClusterActuator(server: EmbeddedApiServer): EmbeddedClusterActuator {
  return new EmbeddedClusterActuator(server);
}
