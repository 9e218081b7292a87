import { issuerDocument } from '../access/signing-key.ts';
import type { Access } from '../access/access.ts';
import type { AggregatedApi } from '../discovery/aggregated-apis.ts';
import { aggregatedApis } from '../discovery/aggregated-apis.ts';
import { discover, discoveryResponse, withoutSlash } from '../discovery/discovery.ts';
import { JSON_TYPE } from '../representation/media-type.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { methodNotAllowed } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { Watch } from '../verbs/watch.ts';
import { requireAcceptable } from './acceptable.ts';
import type { Exchange } from './exchange.ts';
import { serveHealth } from './health.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';

/** A cluster from the point of view of the documents that describe it. */
export interface DescribedCluster {
  readonly registry: ResourceRegistry;
  readonly store: ClusterStore;
  readonly watches: ReadonlySet<Watch>;
  readonly access: Access;
  readonly port: number;
}

const KEYS_TYPE = 'application/jwk-set+json';

/** Time that clients may cache the keys of tokens, in seconds. */
const KEYS_AGE = 3600;

/**
 * Serves a document that describes the server: discovery, schemas, health, metrics, keys and the list of paths.
 *
 * @returns whether the path is one of them.
 * @throws {StatusError} 405
 */
export function serveDocument(cluster: DescribedCluster, exchange: Exchange): boolean {
  if (serveHealth(exchange)) return true;
  const path = withoutSlash(exchange.path);
  const accept = exchange.header('accept');
  switch (path) {
    case '/':
      exchange.sendJson(200, { paths: allPaths(cluster.registry, aggregatedApis(cluster.store, cluster.registry)) });
      return true;
    case '/metrics':
      exchange.sendBytes(200, Buffer.from(metricsText(cluster)), METRICS_TYPE);
      return true;
    case '/.well-known/openid-configuration':
      if (exchange.method !== 'GET') throw methodNotAllowed();
      requireAcceptable(accept, [JSON_TYPE]);
      exchange.cacheFor(KEYS_AGE);
      exchange.sendJson(200, issuerDocument(cluster.access.signingKey, cluster.port));
      return true;
    case '/openid/v1/jwks':
      if (exchange.method !== 'GET') throw methodNotAllowed();
      requireAcceptable(accept, [KEYS_TYPE]);
      exchange.cacheFor(KEYS_AGE);
      exchange.sendJson(200, cluster.access.signingKey.keySet, KEYS_TYPE);
      return true;
  }
  const apis = (): readonly AggregatedApi[] => aggregatedApis(cluster.store, cluster.registry);
  const document = discover(cluster, exchange.path, accept, apis);
  if (!document) return false;
  const isRouted =
    path === '/version' || path === '/api' || (RESOURCE_LIST.test(path) && isBuiltIn(cluster.registry, path));
  if (exchange.method !== 'GET' && isRouted) throw methodNotAllowed();
  if (path === '/version') requireAcceptable(accept, [JSON_TYPE]);
  else if (isRouted) requireAcceptable(accept);
  if (path === '/version' || path.startsWith('/openapi/v3/')) exchange.sendJson(200, document);
  else exchange.sendEncoded(200, discoveryResponse(exchange.path, accept, document));
  return true;
}

/** Paths of the resources of a version, which the router of a real server knows. */
const RESOURCE_LIST = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)$/;

function isBuiltIn(registry: ResourceRegistry, path: string): boolean {
  const rooted = (type: ResourceType): string => `/api${type.group === '' ? '' : 's'}/${apiVersionOf(type)}`;
  return registry.all().some((type) => type.builtIn && path === rooted(type));
}

const SERVER_PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/apis/',
  '/healthz',
  '/livez',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/readyz',
  '/version',
];

function allPaths(registry: ResourceRegistry, apis: readonly AggregatedApi[]): string[] {
  const versions = [...registry.all(), ...apis].flatMap(({ group, version }) => {
    const path = `${group === '' ? '/api' : '/apis'}/${apiVersionOf({ group, version })}`;
    return group === '' ? [path] : [`/apis/${group}`, path];
  });
  return [...new Set([...SERVER_PATHS, ...versions])].sort();
}
