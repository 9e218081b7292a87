import type { ApiClient, Client, ClusterName, ObjectKey } from '@mcr/core';
import { ConfigMap, createClient, Namespace, Secret } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet, Credentials } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';

/** The namespace of the hub that holds the kubeconfig Secrets. */
export const FLEET_NAMESPACE = 'fleet';
const SECRET_LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

/** A hub and members that run on this machine, and the hands of the people who operate them. */
export class DemoFleet implements AsyncDisposable {
  readonly #controlPlanes: ControlPlaneFleet;
  readonly #clients = new Map<ControlPlane, ApiClient>();
  /** What the Secret of each cluster holds: credentials of the controller's own. */
  readonly #granted = new Map<ClusterName, Credentials>();

  private constructor(controlPlanes: ControlPlaneFleet) {
    this.#controlPlanes = controlPlanes;
  }

  /** Starts a hub and three members with a ConfigMap each, none of them known to the hub yet. */
  static async start(): Promise<DemoFleet> {
    const fleet = new DemoFleet(await createControlPlaneFleet({ members: 3 }));
    await fleet.client(fleet.hub).create(Namespace, { metadata: { name: FLEET_NAMESPACE } });
    await Promise.all(fleet.members.map((member) => fleet.#furnish(member)));
    return fleet;
  }

  get hub(): ControlPlane {
    return this.#controlPlanes.hub;
  }

  get members(): readonly ControlPlane[] {
    return this.#controlPlanes.members;
  }

  /** A control plane that is not part of the fleet until a Secret says so. */
  async addControlPlane(name: string): Promise<ControlPlane> {
    const controlPlane = await this.#controlPlanes.addMember(name);
    await this.#furnish(controlPlane);
    return controlPlane;
  }

  /** An administrator's client: its own connection, apart from the controller's. */
  client(controlPlane: ControlPlane): Client {
    let client = this.#clients.get(controlPlane);
    if (!client) {
      client = createClient(controlPlane.config);
      this.#clients.set(controlPlane, client);
    }
    return client;
  }

  /** Gives the controller credentials for a control plane, in the Secret that makes it the cluster `name` of the fleet. */
  async admit(name: ClusterName, controlPlane: ControlPlane): Promise<void> {
    const credentials = await controlPlane.issueToken();
    await this.#writeSecret(name, credentials.kubeconfig);
    this.#granted.set(name, credentials);
  }

  /** As {@link admit}, for a cluster that has credentials already. Resolves with what revokes the former ones. */
  async rotate(name: ClusterName, controlPlane: ControlPlane): Promise<() => Promise<void>> {
    const former = this.#granted.get(name);
    if (!former) throw new Error(`cluster ${name} has no credentials to rotate`);
    await this.admit(name, controlPlane);
    return () => controlPlane.revokeToken(former);
  }

  /** Makes the Secret of a cluster unreadable. */
  async spoil(name: ClusterName): Promise<void> {
    await this.#writeSecret(name, 'this is not a kubeconfig');
  }

  /** Deletes the Secret of the cluster `name`. */
  async withdraw(name: ClusterName): Promise<void> {
    await this.client(this.hub).delete(Secret, { namespace: FLEET_NAMESPACE, name });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client[Symbol.asyncDispose]()));
    await this.#controlPlanes[Symbol.asyncDispose]();
  }

  async #writeSecret(name: ClusterName, kubeconfig: string): Promise<void> {
    const hub = this.client(this.hub);
    const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
    const key = { namespace: FLEET_NAMESPACE, name };
    if (await hub.find(Secret, key)) await hub.patch(Secret, key, { data }, 'merge');
    else await hub.create(Secret, { metadata: { ...key, labels: { [SECRET_LABEL]: 'true' } }, data });
  }

  async #furnish(controlPlane: ControlPlane): Promise<void> {
    await this.client(controlPlane).create(ConfigMap, {
      metadata: { ...EXISTING },
      data: { region: controlPlane.name },
    });
  }
}

/** The ConfigMap that every member has from the start. */
export const EXISTING: Required<ObjectKey> = { namespace: 'default', name: 'settings' };
