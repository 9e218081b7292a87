import { type ClusterConfig, createClient } from '@mcr/core';
import { terminalText } from '@mcr/core/provider';
import { removeWebhooks } from '@mcr/webhook';
import type { Output } from '../command/commands.ts';
import { type FlagValues, UsageError } from '../command/flags.ts';
import { contextsOf } from './contexts.ts';

/** Default and maximum deadline for each cluster, in seconds. */
const TIMEOUT = 30;
const MAX_TIMEOUT = 3600;

/** Maximum number of clusters at a time. */
const CONCURRENCY = 20;

/**
 * `mcr webhooks remove`: removes the webhook configurations of clusters. A cluster that fails does not affect the others.
 *
 * @returns whether every cluster succeeded.
 */
export async function runRemove(values: FlagValues, output: Output): Promise<boolean> {
  const name = values.get('--name')?.[0];
  const isDryRun = values.has('--dry-run');
  const timeout = secondsOf(values.get('--timeout')?.[0]) * 1000;
  const contexts = contextsOf({
    kubeconfig: values.get('--kubeconfig')?.[0],
    names: values.has('--all-contexts') ? 'all' : (values.get('--context') ?? []),
  });
  const entries = contexts.values();
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const [context, config] of entries) {
      if (output.signal.aborted) return;
      const label = terminalText(context);
      try {
        if (config instanceof Error) throw config;
        const signal = AbortSignal.any([output.signal, AbortSignal.timeout(timeout)]);
        const removed = await remove(config, { ...(name !== undefined && { name }), dryRun: isDryRun, signal });
        const text =
          removed.length === 0 ? 'nothing to remove' : `${isDryRun ? 'would remove' : 'removed'} ${removed.join(', ')}`;
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

function secondsOf(text: string | undefined): number {
  const seconds = text === undefined ? TIMEOUT : /^\d+$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_TIMEOUT) return seconds;
  throw new UsageError(`--timeout: expected whole seconds from 1 to ${MAX_TIMEOUT}, found ${JSON.stringify(text)}`);
}
