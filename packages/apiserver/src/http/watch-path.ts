import type { ResourceRegistry } from '../resources/registry.ts';
import { badRequest, methodNotAllowed } from '../status.ts';
import type { WatchedBackend } from './collection.ts';
import { serveWatch } from './collection.ts';
import type { Exchange } from './exchange.ts';
import type { CollectionRoute } from './route.ts';
import { findRoute } from './route.ts';

const WATCH = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/watch\/(.+)$/;

const INCOMPLETE = /^(?:\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/watch\/?$/;

/** Returns the error of a deprecated path that names no resource, or `undefined` for another path. */
export function watchPathFault(path: string): string | undefined {
  if (!INCOMPLETE.test(path)) return undefined;
  const why = `unable to determine kind and namespace from url, ${path}`;
  return `Internal Server Error: ${JSON.stringify(path)}: failed to create RequestInfo: ${why}\n`;
}

/** A watch of a deprecated path, such as `/api/v1/watch/namespaces/default/pods/web`. */
export interface WatchPath {
  readonly route: CollectionRoute;
  /** `''` for all objects. */
  readonly name: string;
}

/** Returns the watch of a deprecated path, or `undefined` if the path is another one. */
export function findWatchPath(registry: ResourceRegistry, path: string): WatchPath | undefined {
  const [, version, rest] = WATCH.exec(path) ?? [];
  const route = version === undefined ? undefined : findRoute(registry, `${version}/${rest ?? ''}`);
  if (!route || route.type.review) return undefined;
  if (route.at === 'collection') return { route, name: '' };
  const { type, namespace, name, part } = route;
  return part === 'object' ? { route: { at: 'collection', type, namespace }, name } : undefined;
}

/** Serves a watch of a deprecated path. @throws {StatusError} */
export function serveWatchPath(backend: WatchedBackend, { route, name }: WatchPath, exchange: Exchange): Promise<void> {
  if (exchange.method !== 'GET') throw methodNotAllowed();
  const query = new URLSearchParams(exchange.query);
  if (name !== '') query.set('fieldSelector', namedSelector(query.get('fieldSelector') ?? '', name));
  return serveWatch(backend, route, exchange, query);
}

/** @throws {StatusError} 400 if the selector is for another name. */
function namedSelector(selector: string, name: string): string {
  const [, selected] = /(?:^|,)metadata\.name=+([^,]*)/.exec(selector) ?? [];
  if (selected !== undefined && selected !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return [...(selector === '' ? [] : [selector]), `metadata.name=${name}`].join(',');
}
