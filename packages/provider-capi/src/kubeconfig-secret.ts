/** Key of the kubeconfig in its Secret, as Cluster API writes it. */
export const KUBECONFIG_KEY = 'value';

const SUFFIX = '-kubeconfig';

/** Returns the name of the Secret with a Cluster's kubeconfig. */
export function kubeconfigSecretName(cluster: string): string {
  return cluster + SUFFIX;
}

/** Returns the name of the Cluster of a kubeconfig Secret; `undefined` if the Secret is another one. */
export function nameOfKubeconfigSecret(secret: string): string | undefined {
  return secret.endsWith(SUFFIX) ? secret.slice(0, -SUFFIX.length) : undefined;
}
