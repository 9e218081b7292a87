import { readFileSync } from 'node:fs';

/** File in which the kubelet provides the namespace of the Pod. */
const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/**
 * Returns the namespace of the Pod that this process runs in.
 *
 * @param option name of the option that sets another namespace, for the error.
 * @throws {TypeError} if this process does not run in a Pod.
 */
export function podNamespace(option: string): string {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch (cause) {
    throw new TypeError(
      `createManager: option "${option}": expected the namespace of the Lease, because this process does not run in a Pod`,
      { cause },
    );
  }
}
