import type { ControlPlane } from '@mcr/envtest';
import { createEmbeddedApiServer, createEmbeddedClusterActuator, createControlPlane } from '@mcr/envtest';
import type { ActuatedCluster, ClusterActuator, ClusterResource } from '@mcr/provider-capi';
import { createKindClusterActuator } from '@mcr/provider-kind';
import { currentRun } from './run.ts';

/** Makes clusters of the run's own backend, for the cluster controller. Ends them when the scenario ends. */
export async function createActuator(stack: AsyncDisposableStack): Promise<ClusterActuator> {
  const { backend } = currentRun();
  if (backend === 'kind') return createKindClusterActuator();
  if (backend === 'binaries') return stack.use(new BinariesActuator());
  const server = stack.adopt(await createEmbeddedApiServer(), (started) => started.stop());
  return createEmbeddedClusterActuator(server);
}

/** Starts an etcd and a kube-apiserver for every cluster. */
class BinariesActuator implements ClusterActuator, AsyncDisposable {
  readonly #planes = new Map<string, Promise<ControlPlane>>();

  async reconcile({ metadata: { name } }: ClusterResource): Promise<ActuatedCluster> {
    const present = this.#planes.get(name) ?? createControlPlane({ backend: 'binaries', name });
    this.#planes.set(name, present);
    const { config, kubeconfig } = await present;
    const { hostname, port } = new URL(config.server);
    return { apiEndpoints: [{ host: hostname, port: Number(port) }], kubeconfig };
  }

  async delete({ metadata: { name } }: ClusterResource): Promise<boolean> {
    await (await this.#planes.get(name))?.stop();
    this.#planes.delete(name);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const started = await Promise.allSettled(this.#planes.values());
    await Promise.all(started.map((plane) => (plane.status === 'fulfilled' ? plane.value.stop() : Promise.resolve())));
  }
}
