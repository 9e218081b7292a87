import type { ClusterConfig } from '@mcr/core';
import { createClient, Namespace, Secret } from '@mcr/core';
import { makerFor, type StepOptions } from './steps.ts';

/** The Secret of a cluster in the hub. */
export interface HubSecretKey {
  readonly hub: ClusterConfig;
  readonly namespace: string;
  /** Name of the Secret, and of the cluster. */
  readonly name: string;
  /** Label that selects the Secrets of the provider. */
  readonly secretLabel: string;
}

export interface HubSecret extends HubSecretKey, StepOptions {
  /** Key of the kubeconfig in the Secret. */
  readonly secretKey: string;
  /** Kubeconfig of the cluster. Default: only the label is written. */
  readonly kubeconfig?: string;
}

/**
 * Writes the labelled Secret that adds a cluster to the fleet, and its namespace if it does not exist.
 *
 * @throws {ApiError | TransportError} if a request fails.
 */
export async function writeHubSecret(secret: HubSecret): Promise<void> {
  const { namespace, name, secretLabel, secretKey, kubeconfig } = secret;
  await using hub = createClient(secret.hub);
  const make = makerFor('hub', hub, secret);
  await make(Namespace, { name: namespace }, () => undefined);
  await make(Secret, { namespace, name }, (made) => {
    made.metadata.labels = { ...made.metadata.labels, [secretLabel]: 'true' };
    if (kubeconfig === undefined) return;
    made.data = { ...made.data, [secretKey]: Buffer.from(kubeconfig).toString('base64') };
  });
}

/**
 * Deletes the Secret of a cluster, which disengages it.
 *
 * @throws {Error} if the Secret does not have the label of the provider.
 * @throws {ApiError | TransportError} if a request fails, or if the Secret does not exist.
 */
export async function deleteHubSecret(
  { hub, namespace, name, secretLabel }: HubSecretKey,
  { signal, isDryRun }: { readonly signal: AbortSignal; readonly isDryRun: boolean },
): Promise<void> {
  await using client = createClient(hub);
  const { metadata } = await client.get(Secret, { namespace, name }, { signal });
  if (metadata.labels?.[secretLabel] !== 'true')
    throw new Error(
      `secret ${namespace}/${name} has no label ${secretLabel}=true, so it is not of a cluster: check --namespace`,
    );
  if (isDryRun) return;
  await client.delete(Secret, { namespace, name }, { signal, preconditions: { uid: metadata.uid } });
}
