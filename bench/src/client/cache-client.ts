import type { Program } from '../program.ts';
import { startProgram } from '../program.ts';
import type { CannedServer } from '../server/canned-server.ts';
import type { CacheClientCommands } from './cache-client-program.ts';
import type { CachedSampleOptions } from './cached-sample.ts';

/** A separate process with a cache. */
export type CacheClient = Program<CacheClientCommands>;

/** @param flags further options of Node.js. */
export function startCacheClient(flags?: readonly string[]): CacheClient {
  return startProgram<CacheClientCommands>(new URL('cache-client-program.ts', import.meta.url), flags);
}

/** How a cache gets its objects, and what it does with them. */
export interface SyncVariant extends Omit<CachedSampleOptions, 'config' | 'sample'> {
  /** Lists in pages instead of a watch that begins with all objects. Default: false. */
  readonly paged?: boolean;
}

/** Returns the input of the commands that sync with a server. */
export function syncOf({ config, paged: pagedConfig, sample, objects }: CannedServer, variant: SyncVariant) {
  const { paged = false, ...options } = variant;
  return { ...options, config: paged ? pagedConfig : config, sample, objects };
}
