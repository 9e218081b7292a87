import type { WatchScope } from '../reflector/client-lister-watcher.ts';
import type { InformerScope } from './cache.ts';

/** What the API server selects objects by. */
export type ScopeSelectors = Pick<InformerScope, 'labelSelector' | 'fieldSelector'>;

/** Which objects a cache holds. */
export interface CacheScope extends ScopeSelectors {
  /**
   * Namespaces, each with selectors of its own where it is a record: what it leaves out is as for all of them. `['']` is
   * all namespaces. Default: all.
   */
  readonly namespaces?: readonly string[] | Readonly<Record<string, ScopeSelectors>>;
}

/** One list and watch for each namespace, or one of all. Equal scopes give equal texts of JSON. */
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

function isNames(namespaces: NonNullable<CacheScope['namespaces']>): namespaces is readonly string[] {
  return Array.isArray(namespaces);
}

function watchScope(namespace: string, { labelSelector, fieldSelector }: ScopeSelectors): WatchScope {
  return {
    ...(namespace && { namespace }),
    ...(labelSelector && { labelSelector }),
    ...(fieldSelector && { fieldSelector }),
  };
}
