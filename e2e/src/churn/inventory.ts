import type { ClusterName } from '@mcr/core';
import { isNotFound, Secret, TransportError } from '@mcr/core';
import type { Credentials } from '@mcr/envtest';
import type { ChurnMember } from './member.ts';

const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';
const BROKEN = 'neither YAML: [nor a kubeconfig';

/** A kubeconfig Secret as it was last written. */
export interface Declared {
  readonly member: ChurnMember;
  readonly credentials: Credentials;
  readonly isLabelled: boolean;
  /**
   * What it holds: a kubeconfig; nothing; or what is no kubeconfig, with its cluster surely engaged before, surely not,
   * or nobody knows.
   */
  readonly content: 'good' | 'keyless' | 'broken-engaged' | 'broken-absent' | 'broken-unknown';
}

/** The kubeconfig Secrets of a hub, and what follows from them. */
export class ChurnInventory {
  readonly #hub: ChurnMember;
  readonly #namespace: string;
  readonly #declared = new Map<ClusterName, Declared>();
  readonly #known = new Set<ClusterName>();

  constructor(hub: ChurnMember, namespace: string) {
    this.#hub = hub;
    this.#namespace = namespace;
  }

  /** Names that were ever declared. */
  get known(): ReadonlySet<ClusterName> {
    return this.#known;
  }

  get declared(): ReadonlyMap<ClusterName, Declared> {
    return this.#declared;
  }

  /** Which clusters are to be engaged, and where they are. */
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

/** Nobody else writes the Secrets: a write whose answer was lost is made again. */
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
