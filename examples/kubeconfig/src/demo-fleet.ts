import type { ApiClient, Client, ClusterName, ObjectKey } from '@mcr/core';
import { ConfigMap, createClient, Namespace, Secret } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet, Credentials } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';

/** The namespace of the hub that holds the kubeconfig Secrets. */
export const FLEET_NAMESPACE = 'fleet';
const SECRET_LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

/** A hub and members on this machine, and the changes that their operators make. */
export class DemoFleet implements AsyncDisposable {
  readonly #controlPlanes: ControlPlaneFleet;
  readonly #clients = new Map<ControlPlane, ApiClient>();
  /** Credentials in the Secret of each cluster. */
  readonly #granted = new Map<ClusterName, Credentials>();

  private constructor(controlPlanes: ControlPlaneFleet) {
    this.#controlPlanes = controlPlanes;
  }

  /** Starts a hub, and three members with a ConfigMap each. The hub does not know them yet. */
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

  /** Starts a control plane that is not part of the fleet until it has a Secret. */
  async addControlPlane(name: string): Promise<ControlPlane> {
    const controlPlane = await this.#controlPlanes.addMember(name);
    await this.#furnish(controlPlane);
    return controlPlane;
  }

  /** Returns the client of an administrator, with a connection of its own. */
  client(controlPlane: ControlPlane): Client {
    let client = this.#clients.get(controlPlane);
    if (!client) {
      client = createClient(controlPlane.config);
      this.#clients.set(controlPlane, client);
    }
    return client;
  }

  /** Writes credentials of a control plane to the Secret `name`, which makes it a cluster of the fleet. */
  async admit(name: ClusterName, controlPlane: ControlPlane): Promise<void> {
    const credentials = await controlPlane.issueToken();
    await this.#writeSecret(name, credentials.kubeconfig);
    this.#granted.set(name, credentials);
  }

  /** Like {@link admit}, for a cluster that already has credentials. Resolves with a function that revokes the previous ones. */
  async rotate(name: ClusterName, controlPlane: ControlPlane): Promise<() => Promise<void>> {
    const previous = this.#granted.get(name);
    if (!previous) throw new Error(`cluster ${name} has no credentials to rotate`);
    await this.admit(name, controlPlane);
    return () => controlPlane.revokeToken(previous);
  }

  /** Replaces the kubeconfig in the Secret of a cluster by an invalid one. */
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

/** The ConfigMap that every member has at the start. */
export const EXISTING: Required<ObjectKey> = { namespace: 'default', name: 'settings' };
