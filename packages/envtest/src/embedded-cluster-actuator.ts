import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ControlPlane } from './control-plane.ts';
import type { EmbeddedApiServer } from './embedded-api-server.ts';
import { clusterOptionsSchema } from './embedded-api-server.ts';
import type { Credentials } from './kubeconfig.ts';

/** What is read of the object that describes a cluster: a `ClusterResource` of `@mcr/provider-capi`. */
export interface DescribedCluster {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec?: { readonly providerSpec?: { readonly value?: unknown } };
}

/** What has been made of one. */
export interface EmbeddedCluster {
  readonly apiEndpoints: readonly { readonly host: string; readonly port: number }[];
  readonly kubeconfig: string;
}

/** The format of `spec.providerSpec.value`. */
const providerSpecSchema = z.strictObject({
  /** Counted up to have new credentials issued. Those issued before stay good. */
  credentials: z.int().min(0).default(0),
  /** CustomResourceDefinitions to begin with. */
  crds: clusterOptionsSchema.shape.crds,
});

interface Made {
  readonly controlPlane: ControlPlane;
  /** The `credentials` of the spec that the present ones were issued for. */
  issuedFor: number;
  credentials: Credentials;
}

/** Makes control planes of the clusters that are described. Fits what `createClusterController` of `@mcr/provider-capi` calls. */
export class EmbeddedClusterActuator {
  readonly #server: EmbeddedApiServer;
  /** By namespace and name. */
  readonly #made = new Map<string, Promise<Made>>();

  /** @param server hosts the control planes. It is started and stopped by the caller. */
  constructor(server: EmbeddedApiServer) {
    this.#server = server;
  }

  /** The control plane of a described cluster, while there is one. */
  async controlPlane(cluster: DescribedCluster): Promise<ControlPlane | undefined> {
    const made = await this.#made.get(keyOf(cluster));
    return made?.controlPlane;
  }

  /**
   * Starts the control plane, or gives it new credentials.
   *
   * @throws {TypeError} that names the field of `spec.providerSpec.value` that cannot be used.
   */
  async reconcile(cluster: DescribedCluster): Promise<EmbeddedCluster> {
    const spec = providerSpecOf(cluster);
    const key = keyOf(cluster);
    let making = this.#made.get(key);
    if (!making) {
      making = this.#make(cluster, spec);
      this.#made.set(key, making);
      // What could not be made is tried again at the next call.
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

  /** Stops the control plane; all of it is gone then. */
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

/** A DNS label has 63 characters at most; a dash and the hash take 17. */
const LONGEST_READABLE = 63 - 17;

/** The hash tells `a-b` in the namespace `team` from `b` in `team-a`, and those that are cut from one another. */
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
