import type { Manager, ReconcileRequest } from '@mcr/core';
import { ConfigMap, controllerManagedBy } from '@mcr/core';

/** Annotation with the name of the cluster in which a ConfigMap was last reconciled. */
export const SEEN_BY = 'fleet.mcr.dev/seen-by';

/** Result of one reconcile. */
export type Outcome = 'annotated' | 'unchanged' | 'gone';

export interface ConfigMapControllerOptions {
  /** Whether to annotate ConfigMaps, or only read them. */
  readonly mode: 'read-only' | 'annotate';
  /** Called after each successful reconcile. */
  readonly onReconciled: (request: ReconcileRequest, outcome: Outcome) => void;
}

/** Keeps the annotation {@link SEEN_BY} on the ConfigMaps of every cluster in the fleet. */
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
        log.info('ConfigMap not found');
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
