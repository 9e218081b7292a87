import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { ClusterConfig } from './cluster-config.ts';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { printable } from './redaction.ts';

/** Directory in which the kubelet mounts a pod's service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Options of {@link inClusterConfig}. */
export interface InClusterOptions {
  /** Environment variables. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Directory of the service account files. Default: the kubelet's mount. */
  readonly directory?: string;
}

/**
 * Returns the config of the cluster in which this process runs as a pod, with the pod's service account. It uses the
 * proxy of `HTTPS_PROXY` unless `NO_PROXY` lists the server. (Upstream: client-go `rest.InClusterConfig`.)
 *
 * @throws {KubeconfigError} if the process does not run in a pod with a service account.
 */
export function inClusterConfig({
  env = process.env,
  directory = SERVICE_ACCOUNT,
}: InClusterOptions = {}): ClusterConfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    throw new KubeconfigError('not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const config = {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { caFile: mounted(join(directory, 'ca.crt')) },
    auth: { type: 'tokenFile', path: join(directory, 'token') },
  } as const;
  return withEnvironmentProxy(printable(config), env);
}

function mounted(path: string): string {
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch (cause) {
    throw new KubeconfigError('cannot be read: expected the service account that is mounted in a pod', { path, cause });
  }
}
