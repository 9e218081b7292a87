import type { SyncVariant } from './client/cache-client.ts';
import { startCacheClient, syncOf } from './client/cache-client.ts';
import { startParser } from './client/parser.ts';
import type { SampleName } from './samples/sample.ts';
import { median } from './scenario.ts';
import { startCannedServer } from './server/canned-server.ts';

export interface SyncCosts<Name extends string> {
  /** Median processor time of the client for each variant, in milliseconds. */
  readonly costs: Readonly<Record<Name, number>>;
  /** The first sync of each variant, before its code is compiled. */
  readonly first: Readonly<Record<Name, number>>;
  /** Median processor time of `JSON.parse` for the same objects, in milliseconds. */
  readonly parse: number;
  /** Size of the objects in bytes. */
  readonly bytes: number;
}

/**
 * Measures the processor time to sync a sample in several variants, each in its own process, in turns with parsing
 * alone.
 */
export async function syncCosts<Name extends string>(
  { sample, objects, runs }: { readonly sample: SampleName; readonly objects: number; readonly runs: number },
  variants: Readonly<Record<Name, SyncVariant>>,
): Promise<SyncCosts<Name>> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startCannedServer(sample, objects));
  const parser = stack.use(await startParser(sample, objects));
  const clients = (Object.entries(variants) as [Name, SyncVariant][]).map(([name, variant]) => {
    const times: number[] = [];
    return { name, client: stack.use(startCacheClient()), input: syncOf(server, variant), times };
  });
  const parsed: number[] = [];
  for (let run = 0; run <= runs; run++) {
    for (const { client, input, times } of clients) times.push(await client.run('sync', input));
    parsed.push(await parser.run('parseLists'));
  }
  const figures = (of: (times: readonly number[]) => number | undefined) =>
    Object.fromEntries(clients.map(({ name, times }) => [name, of(times) ?? NaN])) as Record<Name, number>;
  return {
    costs: figures((times) => median(times.slice(1))),
    first: figures(([time]) => time),
    parse: median(parsed.slice(1)),
    bytes: server.bytes,
  };
}
