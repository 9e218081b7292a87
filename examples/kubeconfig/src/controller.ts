import type { Manager, Request } from '@mcr/core';
import { ConfigMap, controllerManagedBy } from '@mcr/core';

/** Names the cluster, as the fleet knows it, that a ConfigMap was last reconciled in. */
export const SEEN_BY = 'fleet.mcr.dev/seen-by';

/** What one reconcile came to. */
export type Outcome = 'annotated' | 'unchanged' | 'gone';

export interface ConfigMapControllerOptions {
  /** Whether ConfigMaps are only read, or also annotated. */
  readonly mode: 'read-only' | 'annotate';
  /** Told of each reconcile that succeeded. */
  readonly onReconciled: (request: Request, outcome: Outcome) => void;
}

/** Reconciles the ConfigMaps of every cluster in the fleet: each carries {@link SEEN_BY}, and gets it back when it is lost. */
export async function addConfigMapController(
  manager: Manager,
  { mode, onReconciled }: ConfigMapControllerOptions,
): Promise<void> {
  await controllerManagedBy(manager)
    .named('configmaps')
    .for(ConfigMap)
    .complete(async (request, { cluster, log }) => {
      const { client } = await cluster();
      const configMap = await client.find(ConfigMap, request);
      if (!configMap) {
        log.info('ConfigMap is gone');
        onReconciled(request, 'gone');
        return;
      }
      if (mode === 'read-only' || configMap.metadata.annotations?.[SEEN_BY] === request.clusterName) {
        log.info('ConfigMap reconciled');
        onReconciled(request, 'unchanged');
        return;
      }
      const patch = { metadata: { annotations: { [SEEN_BY]: request.clusterName } } };
      await client.patch(ConfigMap, request, patch, 'merge');
      log.info('ConfigMap annotated');
      onReconciled(request, 'annotated');
    });
}
