import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiClient, ClusterConfig, KubernetesObject, Provider } from '@mcr/core';
import { createOrUpdate, CustomResourceDefinition, defineKind, Secret } from '@mcr/core';
import { CapiProvider } from '@mcr/provider-capi';
import { InventoryProvider } from '@mcr/provider-inventory';
import { KubeconfigProvider } from '@mcr/provider-kubeconfig';
import { parse } from 'yaml';

/** The namespace of the hub that every inventory here is in. */
export const FLEET = 'fleet';

/** A provider of the hub, and the hands of those who keep its inventory. */
export interface Inventory {
  readonly name: string;
  /** The published manifests of what the provider may do in the hub. */
  readonly manifests: readonly string[];
  /** What the cluster of the entry `name` is called. */
  clusterName(name: string): string;
  createProvider(configure: (config: ClusterConfig) => ClusterConfig): Provider;
  /** Once, before anything is declared. */
  prepare(hub: ApiClient): Promise<void>;
  /** Adds an entry, or changes its kubeconfig. */
  declare(hub: ApiClient, name: string, kubeconfig: string): Promise<void>;
  remove(hub: ApiClient, name: string): Promise<void>;
}

interface WithStatus extends KubernetesObject {
  spec?: object;
  status?: object;
}
const Cluster = defineKind<WithStatus>({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' });
const ClusterProfile = defineKind<WithStatus>({
  apiVersion: 'multicluster.x-k8s.io/v1alpha1',
  kind: 'ClusterProfile',
});

/** What of Cluster API's own definition the provider has to do with. */
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const clusterDefinition = {
  metadata: { name: 'clusters.cluster.x-k8s.io' },
  spec: {
    group: 'cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'Cluster', plural: 'clusters', singular: 'cluster' },
    versions: [
      {
        name: 'v1beta2',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};

export const inventories: readonly Inventory[] = [
  {
    name: 'kubeconfig',
    manifests: ['packages/provider-kubeconfig/manifests/rbac-hub.yaml'],
    clusterName: (name) => name,
    createProvider: (configure) => new KubeconfigProvider({ namespace: FLEET, configure }),
    prepare: async () => undefined,
    declare: (hub, name, kubeconfig) =>
      putSecret(hub, { name, labels: { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' }, data: { kubeconfig } }),
    remove: (hub, name) => hub.delete(Secret, { namespace: FLEET, name }),
  },
  {
    name: 'capi',
    manifests: ['packages/provider-capi/manifests/rbac-hub.yaml'],
    clusterName: (name) => `${FLEET}/${name}`,
    createProvider: (configure) => new CapiProvider({ configure }),
    prepare: async (hub) => void (await hub.create(CustomResourceDefinition, clusterDefinition)),
    async declare(hub, name, value) {
      const labels = { 'cluster.x-k8s.io/cluster-name': name };
      await putSecret(hub, { name: `${name}-kubeconfig`, labels, data: { value } });
      await createOrUpdate(hub, Cluster, { namespace: FLEET, name }, () => undefined);
      const status = { initialization: { controlPlaneInitialized: true } };
      await hub.status.patch(Cluster, { namespace: FLEET, name }, { status }, 'merge');
    },
    remove: (hub, name) => hub.delete(Cluster, { namespace: FLEET, name }),
  },
  {
    name: 'inventory',
    manifests: [
      'packages/provider-inventory/manifests/rbac-hub.yaml',
      'packages/provider-inventory/manifests/rbac-hub-secrets.yaml',
    ],
    clusterName: (name) => `${FLEET}/${name}`,
    createProvider: (configure) => new InventoryProvider({ secret: { consumerName: 'suite' }, configure }),
    async prepare(hub) {
      const file = import.meta.resolve('@mcr/provider-inventory/manifests/multicluster.x-k8s.io_clusterprofiles.yaml');
      const definition = parse(readFileSync(fileURLToPath(file), 'utf8')) as CustomResourceDefinition;
      await hub.create(CustomResourceDefinition, definition);
    },
    async declare(hub, name, Config) {
      const labels = { 'x-k8s.io/cluster-profile': name, 'x-k8s.io/cluster-inventory-consumer': 'suite' };
      await putSecret(hub, { name, labels, data: { Config } });
      const key = { namespace: FLEET, name };
      await createOrUpdate(hub, ClusterProfile, key, (profile) => {
        profile.spec = { clusterManager: { name: 'suite' } };
      });
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const condition = {
        type: 'ControlPlaneHealthy',
        status: 'True',
        reason: 'Test',
        message: '',
        lastTransitionTime,
      };
      await hub.status.patch(ClusterProfile, key, { status: { conditions: [condition] } }, 'merge');
    },
    remove: (hub, name) => hub.delete(ClusterProfile, { namespace: FLEET, name }),
  },
];

interface SecretContent {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly data: Readonly<Record<string, string>>;
}

async function putSecret(hub: ApiClient, { name, labels, data }: SecretContent): Promise<void> {
  await createOrUpdate(hub, Secret, { namespace: FLEET, name }, (secret) => {
    secret.metadata.labels = labels;
    secret.data = Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
  });
}
