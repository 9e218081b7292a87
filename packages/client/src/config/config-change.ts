import { isDeepStrictEqual } from 'node:util';
import type { ClusterConfig } from './cluster-config.ts';
import { proxyUrlOf } from './proxy-auth.ts';

/**
 * What differs between two configs of one cluster.
 *
 * - `none`: nothing
 * - `credentials`: the same server, reached as somebody else or in another manner: connections can be kept or renewed in place
 * - `endpoint`: perhaps another server: everything known of the old one is void
 */
export type ConfigChange = 'none' | 'credentials' | 'endpoint';

/** Compares by value. Two functions of a custom `auth` are equal when they are the same function. */
export function configChange(before: ClusterConfig, after: ClusterConfig): ConfigChange {
  if (!isDeepStrictEqual(endpointOf(before), endpointOf(after))) return 'endpoint';
  return isDeepStrictEqual(restOf(before), restOf(after)) ? 'none' : 'credentials';
}

export function configsEqual(a: ClusterConfig, b: ClusterConfig): boolean {
  return configChange(a, b) === 'none';
}

/** The fields that say which server it is, and how it is known to be that one. */
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
