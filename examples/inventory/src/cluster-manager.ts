import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@mcr/core';
import { CustomResourceDefinition, Namespace } from '@mcr/core';
import type { ControlPlane, Credentials } from '@mcr/envtest';
import { ClusterProfile } from '@mcr/provider-inventory';
import { parse } from 'yaml';

const DEFINITION = '@mcr/provider-inventory/manifests/multicluster.x-k8s.io_clusterprofiles.yaml';

/** Acts as a cluster manager: publishes profiles of clusters, and issues tokens for plugins. */
export class ClusterManager {
  static readonly namespace = 'fleet';
  readonly #hub: Client;
  readonly #tokens: string;
  readonly #credentials = new Map<string, Credentials>();

  /** @param tokens a directory. */
  constructor(hub: Client, tokens: string) {
    this.#hub = hub;
    this.#tokens = tokens;
  }

  async setUp(): Promise<void> {
    const labels = { 'multicluster.x-k8s.io/clusterset': 'shop' };
    await this.#hub.create(Namespace, { metadata: { name: ClusterManager.namespace, labels } });
    const definition = readFileSync(fileURLToPath(import.meta.resolve(DEFINITION)), 'utf8');
    await this.#hub.create(CustomResourceDefinition, parse(definition) as CustomResourceDefinition);
  }

  /** Publishes the profile of a cluster, without the condition that it is healthy. */
  async publish(name: string, { config: { server, tls } }: ControlPlane): Promise<void> {
    const key = { namespace: ClusterManager.namespace, name };
    await this.#hub.create(ClusterProfile, { metadata: key, spec: { clusterManager: { name: 'example' } } });
    const cluster = {
      server,
      'certificate-authority-data': Buffer.from(tls?.caData ?? '').toString('base64'),
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: name } }],
    };
    const status = {
      properties: [{ name: 'region', value: name }],
      accessProviders: [{ name: 'tokens', cluster }],
    };
    await this.#hub.status.patch(ClusterProfile, key, { status }, 'merge');
  }

  async setHealthy(name: string, status: 'True' | 'False'): Promise<void> {
    const key = { namespace: ClusterManager.namespace, name };
    const condition = {
      type: 'ControlPlaneHealthy',
      status,
      reason: 'Checked',
      message: '',
      lastTransitionTime: `${new Date().toISOString().slice(0, 19)}Z`,
    };
    await this.#hub.status.patch(ClusterProfile, key, { status: { conditions: [condition] } }, 'merge');
  }

  /** Issues a token for a cluster to plugins, and revokes the previous one. */
  async renewToken(name: string, controlPlane: ControlPlane): Promise<void> {
    const previous = this.#credentials.get(name);
    const credentials = await controlPlane.issueToken();
    this.#credentials.set(name, credentials);
    const { auth } = credentials.config;
    await writeFile(join(this.#tokens, name), auth?.type === 'token' ? auth.token : '', { mode: 0o600 });
    if (previous) await controlPlane.revokeToken(previous);
  }

  async withdraw(name: string): Promise<void> {
    await this.#hub.delete(ClusterProfile, { namespace: ClusterManager.namespace, name });
  }
}
