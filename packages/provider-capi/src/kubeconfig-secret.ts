/** The key of the kubeconfig within its Secret, as Cluster API writes it. */
export const KUBECONFIG_KEY = 'value';

const SUFFIX = '-kubeconfig';

/** The Secret with the kubeconfig of a Cluster, beside it. */
export function kubeconfigSecretName(cluster: string): string {
  return cluster + SUFFIX;
}

/** The Cluster of that Secret; `undefined` when its name is no such one. */
export function nameOfKubeconfigSecret(secret: string): string | undefined {
  return secret.endsWith(SUFFIX) ? secret.slice(0, -SUFFIX.length) : undefined;
}
