import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { ClusterConfig } from './cluster-config.ts';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { printable } from './redaction.ts';

/** Where the kubelet mounts a pod's service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  /** Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: where the kubelet mounts the service account. */
  readonly directory?: string;
}

/**
 * The config of the cluster that this process runs in, as a pod, with the pod's service account,
 * by way of the proxy of `HTTPS_PROXY` unless `NO_PROXY` lists it. (Upstream: client-go `rest.InClusterConfig`.)
 *
 * @throws {KubeconfigError} when it does not run in a pod with a service account.
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
    throw new KubeconfigError('cannot be read: expected the mounted service account of a pod', { path, cause });
  }
}
