import { createManager, loadKubeconfig, shutdownSignal, silentLogger } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { addConfigMapController } from './controller.ts';
import { openScreen } from './screen.ts';

export interface OwnHubOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly namespace: string;
}

/** Runs the controller, read-only, on the user's hub until Ctrl-C. Resolves with the exit code. */
export async function runOnHub({ kubeconfig, context, namespace }: OwnHubOptions): Promise<number> {
  using shutdown = shutdownSignal();
  const config = loadKubeconfig({ path: kubeconfig, ...(context !== undefined && { context }) });
  const manager = await createManager({
    config,
    provider: createKubeconfigProvider({ namespace }),
    // The controller only reads. This makes the events of the manager dry runs, too.
    dryRun: true,
    // On a terminal, the table of the fleet replaces the log.
    ...(process.stdout.isTTY && { logger: silentLogger }),
    metrics: { bindAddress: '0' },
  });
  let reconciles = 0;
  await addConfigMapController(manager, { mode: 'read-only', onReconciled: () => void reconciles++ });

  using screen = openScreen(process.stdout, manager.fleet);
  screen.say(`Reconciling ConfigMaps of every cluster with a Secret in ${namespace}, read-only. Ctrl-C ends it.`);
  await manager.start(shutdown.signal);
  screen.say(`${reconciles} reconciles.`);
  return 0;
}
