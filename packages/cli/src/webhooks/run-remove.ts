import { type ClusterConfig, createClient } from '@mcr/core';
import { terminalText } from '@mcr/core/provider';
import { removeWebhooks } from '@mcr/webhook';
import type { Output } from '../command/output.ts';
import { contextsOf } from '../command/contexts.ts';

/** Maximum number of clusters at a time. */
const CONCURRENCY = 20;

/** Options of `mcr webhooks remove`. */
export interface RemoveOptions {
  /** Name of the configurations. Default: all. */
  readonly name?: string;
  readonly all?: boolean;
  /** Default: the current context. */
  readonly context?: readonly string[];
  readonly allContexts?: boolean;
  readonly kubeconfig?: string;
  /** Deadline for each cluster, in seconds. */
  readonly timeout: number;
  readonly dryRun?: boolean;
}

/**
 * `mcr webhooks remove`: removes the webhook configurations of clusters. A cluster that fails does not affect the others.
 *
 * @returns whether every cluster succeeded.
 */
export async function runRemove(options: RemoveOptions, output: Output): Promise<boolean> {
  const { name, context: names = [], allContexts = false, kubeconfig, dryRun = false, timeout } = options;
  const contexts = contextsOf({ kubeconfig, names: allContexts ? 'all' : names });
  const entries = contexts.values();
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const [context, config] of entries) {
      if (output.signal.aborted) return;
      const label = terminalText(context);
      try {
        if (config instanceof Error) throw config;
        const signal = AbortSignal.any([output.signal, AbortSignal.timeout(timeout * 1000)]);
        const removed = await remove(config, { ...(name !== undefined && { name }), dryRun, signal });
        const text =
          removed.length === 0 ? 'nothing to remove' : `${dryRun ? 'would remove' : 'removed'} ${removed.join(', ')}`;
        output.print(`${label}: ${terminalText(text)}\n`);
      } catch (error) {
        failed.push(context);
        output.warn(`${label}: failed: ${terminalText((error as Error).message)}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return failed.length === 0 && !output.signal.aborted;
}

async function remove(
  config: ClusterConfig,
  options: Parameters<typeof removeWebhooks>[1],
): Promise<readonly string[]> {
  await using client = createClient(config);
  return (await removeWebhooks(client, options)).removed;
}
