import { createManager, loadKubeconfig, shutdownSignal, silentLogger } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { addConfigMapController } from './controller.ts';
import { openScreen } from './screen.ts';

export interface OwnHubOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly namespace: string;
}

/** Runs the controller, read-only, on a hub of the user's, until Ctrl-C. Resolves with the exit code. */
export async function runOnHub({ kubeconfig, context, namespace }: OwnHubOptions): Promise<number> {
  using shutdown = shutdownSignal();
  const config = loadKubeconfig({ path: kubeconfig, ...(context !== undefined && { context }) });
  const manager = await createManager({
    config,
    provider: createKubeconfigProvider({ namespace }),
    // On a terminal the table of the fleet says what the log would.
    ...(process.stdout.isTTY && { logger: silentLogger }),
    metrics: { bindAddress: '0' },
  });
  let reconciles = 0;
  await addConfigMapController(manager, { mode: 'read-only', onReconciled: () => void reconciles++ });

  using screen = openScreen(process.stdout, manager.fleet);
  screen.say(
    `Reconciling the ConfigMaps of every cluster that a Secret in ${namespace} names. Nothing is written. Ctrl-C ends it.`,
  );
  await manager.start(shutdown.signal);
  screen.say(`${reconciles} reconciles.`);
  return 0;
}
