import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** File in which the kubelet provides the namespace of the Pod. */
const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/**
 * Returns the namespace of the Pod that this process runs in: `$POD_NAMESPACE`, which Deployments set by the downward API, else
 * that of the kubelet's file. (Upstream: client-go's `inClusterClientConfig.Namespace`, which has the same order.)
 *
 * @param option name of the option that sets another namespace, for the error.
 * @throws {TypeError} if the variable is not set and this process does not run in a Pod.
 */
export function podNamespace(option: string): string {
  const named = process.env['POD_NAMESPACE'];
  if (named) return named;
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch (cause) {
    throw new TypeError(
      `createManager: option "${option}": expected the namespace of the Lease, because this process does not run in a Pod: set the option or POD_NAMESPACE`,
      { cause },
    );
  }
}

/** Returns `$POD_NAME`, else the host name, which is the name of the Pod unless the Pod uses the network of its node. */
export function podName(): string {
  return process.env['POD_NAME'] || hostname();
}
