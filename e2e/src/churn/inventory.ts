import type { ClusterName } from '@mcr/core';
import { isNotFound, Secret, TransportError } from '@mcr/core';
import type { Credentials } from '@mcr/envtest';
import type { ChurnMember } from './member.ts';

const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';
const BROKEN = 'neither YAML: [nor a kubeconfig';

/** A kubeconfig Secret as last written. */
export interface Declared {
  readonly member: ChurnMember;
  readonly credentials: Credentials;
  readonly isLabelled: boolean;
  /**
   * Content of the Secret: a valid kubeconfig, no kubeconfig, or an invalid one. An invalid kubeconfig keeps a cluster
   * that is engaged (`broken-engaged`), engages none (`broken-absent`), or either (`broken-unknown`).
   */
  readonly content: 'good' | 'keyless' | 'broken-engaged' | 'broken-absent' | 'broken-unknown';
}

/** The kubeconfig Secrets of a hub, and the clusters that they declare. */
export class ChurnInventory {
  readonly #hub: ChurnMember;
  readonly #namespace: string;
  readonly #declared = new Map<ClusterName, Declared>();
  readonly #known = new Set<ClusterName>();

  constructor(hub: ChurnMember, namespace: string) {
    this.#hub = hub;
    this.#namespace = namespace;
  }

  /** All names that have been declared. */
  get known(): ReadonlySet<ClusterName> {
    return this.#known;
  }

  get declared(): ReadonlyMap<ClusterName, Declared> {
    return this.#declared;
  }

  /** Returns the clusters that must be engaged, and their members. */
  engaged(): Map<ClusterName, ChurnMember> {
    const engaged = new Map<ClusterName, ChurnMember>();
    for (const [name, { member, isLabelled, content }] of this.#declared) {
      if (isLabelled && (content === 'good' || content === 'broken-engaged')) engaged.set(name, member);
    }
    return engaged;
  }

  async declare(name: ClusterName, declared: Declared): Promise<void> {
    const { content, credentials, isLabelled } = declared;
    const key = { namespace: this.#namespace, name };
    const desired = {
      metadata: { ...key, labels: { [LABEL]: String(isLabelled) } },
      stringData:
        content === 'keyless' ? { other: '' } : { kubeconfig: content === 'good' ? credentials.kubeconfig : BROKEN },
    };
    this.#known.add(name);
    this.#declared.set(name, declared);
    const { client } = this.#hub;
    await persistently(async () => {
      if (await client.find(Secret, key)) await client.update(Secret, desired);
      else await client.create(Secret, desired);
    });
  }

  async remove(name: ClusterName): Promise<void> {
    this.#declared.delete(name);
    await persistently(async () => {
      try {
        await this.#hub.client.delete(Secret, { namespace: this.#namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  }
}

/** Retries a write whose response was lost. This is safe because only this class writes the Secrets. */
async function persistently(write: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await write();
      return;
    } catch (error) {
      if (!(error instanceof TransportError) || attempt === 20) throw error;
    }
  }
}
