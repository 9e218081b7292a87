import type { WatchScope } from '../reflector/client-lister-watcher.ts';
import type { Shard } from '../shards/shard.ts';
import type { InformerScope } from './cache.ts';

/** Selectors that the API server applies. */
export type ScopeSelectors = Pick<InformerScope, 'labelSelector' | 'fieldSelector'>;

/** The objects that a cache holds. */
export interface CacheScope extends ScopeSelectors {
  /**
   * Namespaces, or a record of namespaces with their own selectors, which override the common ones. `['']` means all
   * namespaces. Default: all namespaces.
   */
  readonly namespaces?: readonly string[] | Readonly<Record<string, ScopeSelectors>>;
  /**
   * The part of these objects to hold, which may change. Reads do not find other objects. Default: all of them.
   */
  readonly shard?: Shard;
}

/** Returns one scope for each namespace, or one for all. Equal scopes have equal {@link scopesText}. */
export function watchScopesOf({ namespaces, ...common }: CacheScope): readonly WatchScope[] {
  if (namespaces === undefined) return [watchScope('', common)];
  const record: Readonly<Record<string, ScopeSelectors>> = isNames(namespaces)
    ? Object.fromEntries(namespaces.map((namespace) => [namespace, {}]))
    : namespaces;
  const scopes = Object.keys(record)
    .sort()
    .map((namespace) => watchScope(namespace, { ...common, ...record[namespace] }));
  return scopes.length > 0 ? scopes : [watchScope('', common)];
}

/** Returns a text that identifies scopes. */
export function scopesText(scopes: readonly WatchScope[]): string {
  return JSON.stringify(scopes.map(({ shard, ...scope }) => ({ ...scope, ...(shard && { shard: shard.id }) })));
}

function isNames(namespaces: NonNullable<CacheScope['namespaces']>): namespaces is readonly string[] {
  return Array.isArray(namespaces);
}

function watchScope(
  namespace: string,
  { labelSelector, fieldSelector, shard }: Omit<CacheScope, 'namespaces'>,
): WatchScope {
  return {
    ...(namespace && { namespace }),
    ...(labelSelector && { labelSelector }),
    ...(fieldSelector && { fieldSelector }),
    ...(shard && { shard }),
  };
}
