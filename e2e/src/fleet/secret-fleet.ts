import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterName } from '@mcr/core';
import { ConfigMap, createOrUpdate, Secret } from '@mcr/core';
import type { Site } from '../backend/site.ts';
import type { Stage } from '../backend/stage.ts';
import { until } from '../until.ts';
import { Controller } from './controller.ts';

const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

/** A fleet defined by kubeconfig Secrets in a hub, and its controller processes. */
export class SecretFleet {
  readonly #stage: Stage;
  #controllers = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Starts a controller process; it is killed when the scenario ends. */
  async startController(options: { readonly lease?: string } = {}): Promise<Controller> {
    const { hub, namespace, directory, stack } = this.#stage;
    const { kubeconfig: text } = await hub.issuePass();
    const kubeconfig = join(directory, `controller-${++this.#controllers}.kubeconfig`);
    await writeFile(kubeconfig, text, { mode: 0o600 });
    return stack.adopt(new Controller({ kubeconfig, namespace, ...options }), (controller) => controller.kill());
  }

  /** Creates or updates the kubeconfig Secret of a cluster. */
  async declare(name: ClusterName, kubeconfig: string): Promise<void> {
    const { hub } = this.#stage;
    await createOrUpdate(hub.client, Secret, hub.key(name), (secret) => {
      secret.metadata.labels = { [LABEL]: 'true' };
      secret.data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
    });
  }

  /** Deletes the kubeconfig Secret of a cluster. */
  async withdraw(name: ClusterName): Promise<void> {
    const { hub } = this.#stage;
    await hub.client.delete(Secret, hub.key(name));
  }

  /** Resolves once the controller has processed the last `Site.put`. */
  async processed(member: Site, name: string): Promise<void> {
    await until(() => this.isProcessed(member, name));
  }

  async isProcessed(member: Site, name: string): Promise<boolean> {
    const { data } = await member.client.get(ConfigMap, member.key(name));
    return data?.['output'] === data?.['input'];
  }
}
