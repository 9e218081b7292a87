import { issuerDocument } from '../access/signing-key.ts';
import type { Access } from '../access/access.ts';
import type { AggregatedApi } from '../discovery/aggregated-apis.ts';
import { aggregatedApis } from '../discovery/aggregated-apis.ts';
import { discover, discoveryAnswer } from '../discovery/discovery.ts';
import { JSON_TYPE } from '../representation/media-type.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
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

/** Paths whose handlers do not look at the method. */
const ANY_METHOD = /^\/(?:$|apis(?:\/[^/]*)?$|metrics$|openapi\/|\.well-known\/|openid\/)/;

/**
 * Serves a document that describes the server: discovery, schemas, health, metrics, keys and the list of paths.
 *
 * @returns whether the path is one of them.
 * @throws {StatusError} 405
 */
export function serveDocument(cluster: DescribedCluster, exchange: Exchange): boolean {
  if (serveHealth(exchange)) return true;
  const path = withoutSlash(exchange.path);
  switch (path) {
    case '/':
      exchange.send(200, { paths: allPaths(cluster.registry, aggregatedApis(cluster.store, cluster.registry)) });
      return true;
    case '/metrics':
      exchange.sendBytes(200, Buffer.from(metricsText(cluster)), METRICS_TYPE);
      return true;
    case '/.well-known/openid-configuration':
      exchange.send(200, issuerDocument(cluster.access.signingKey, cluster.port));
      return true;
    case '/openid/v1/jwks':
      exchange.send(200, cluster.access.signingKey.keySet, 'application/jwk-set+json');
      return true;
  }
  const accept = exchange.header('accept');
  const apis = (): readonly AggregatedApi[] => aggregatedApis(cluster.store, cluster.registry);
  const document = discover(cluster.registry, path, accept, apis);
  if (!document) return false;
  if (exchange.method !== 'GET' && !ANY_METHOD.test(path)) throw methodNotAllowed();
  if (path === '/version') requireAcceptable(accept, [JSON_TYPE]);
  else if (RESOURCE_LIST.test(path) && isBuiltIn(cluster.registry, path)) requireAcceptable(accept);
  exchange.sendAnswer(200, discoveryAnswer(path, accept, document));
  return true;
}

/** Paths of the resources of a version, which the router of a real server knows. */
const RESOURCE_LIST = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)$/;

function isBuiltIn(registry: ResourceRegistry, path: string): boolean {
  return registry.all().some((type) => type.builtIn && path.endsWith(`/${apiVersionOf(type)}`));
}

/** Discovery ignores one slash at the end of a path. */
function withoutSlash(path: string): string {
  return /^\/(?:version|api|apis(?:\/[^/]+){0,2}|api\/[^/]+)\/$/.test(path) ? path.slice(0, -1) : path;
}

const SERVER_PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/apis/',
  '/healthz',
  '/livez',
  '/metrics',
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
