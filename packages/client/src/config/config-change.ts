import { isDeepStrictEqual } from 'node:util';
import type { ClusterConfig } from './cluster-config.ts';
import { proxyUrlOf } from './proxy-auth.ts';

/**
 * The difference between two configs of one cluster.
 *
 * - `none`: the configs are equal.
 * - `credentials`: the server is the same, but the credentials, limits or user agent differ. The cluster can rotate.
 * - `endpoint`: the server may be a different one. State of the old server, such as caches, is not valid for it.
 */
export type ConfigChange = 'none' | 'credentials' | 'endpoint';

/** Compares two configs of one cluster by value. Functions of a custom `auth` are compared by identity. */
export function configChange(before: ClusterConfig, after: ClusterConfig): ConfigChange {
  if (!isDeepStrictEqual(endpointOf(before), endpointOf(after))) return 'endpoint';
  return isDeepStrictEqual(restOf(before), restOf(after)) ? 'none' : 'credentials';
}

/** Whether two configs are equal by value. */
export function configsEqual(a: ClusterConfig, b: ClusterConfig): boolean {
  return configChange(a, b) === 'none';
}

/** Returns the fields that identify the server. */
function endpointOf(config: ClusterConfig): unknown {
  const { server, tls, endpoints } = config;
  return [
    URL.parse(server)?.href.replace(/(?<!\/)\/+$/, '') ?? server,
    tls?.caData,
    tls?.caFile,
    tls?.serverName,
    tls?.insecureSkipVerify ?? false,
    proxyUrlOf(config),
    endpoints,
  ];
}

function restOf(config: ClusterConfig): unknown {
  const { auth, tls, impersonate, userAgent, requestTimeout, qps, burst } = config;
  return [
    auth,
    tls?.certData,
    tls?.keyData,
    tls?.certFile,
    tls?.keyFile,
    impersonate,
    userAgent,
    requestTimeout,
    qps,
    burst,
  ];
}
