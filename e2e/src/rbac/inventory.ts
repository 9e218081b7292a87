import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiClient, ClusterConfig, KubernetesObject, Provider } from '@mcr/core';
import { createOrUpdate, defineKind, Secret } from '@mcr/core';
import { createCapiProvider } from '@mcr/provider-capi';
import { createInventoryProvider } from '@mcr/provider-inventory';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { parse } from 'yaml';
import type { Definition } from '../backend/site.ts';

/** A provider that reads the hub, and access to its inventory in one namespace. */
export interface Inventory {
  readonly name: string;
  /** Published manifests of the provider's roles in the hub. */
  readonly manifests: readonly string[];
  /** Returns the cluster name of the entry `name`. */
  clusterName(name: string): string;
  createProvider(configure: (config: ClusterConfig) => ClusterConfig): Provider;
  /** The definition that must be installed in the hub first. */
  readonly definition?: Definition;
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

/** The parts of Cluster API's definition that the provider uses. */
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const clusterDefinition: Definition = {
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

const profileDefinition = parse(
  readFileSync(
    fileURLToPath(import.meta.resolve('@mcr/provider-inventory/manifests/multicluster.x-k8s.io_clusterprofiles.yaml')),
    'utf8',
  ),
) as Definition;

/** Name of the definition that an inventory needs, if any. */
export const DEFINITIONS = {
  kubeconfig: [],
  capi: [clusterDefinition.metadata.name],
  inventory: [profileDefinition.metadata.name],
} as const;

/** The inventories of the providers that read the hub, each kept in `namespace`. */
export const inventoriesIn = (namespace: string): readonly Inventory[] => [
  {
    name: 'kubeconfig',
    manifests: ['packages/provider-kubeconfig/manifests/rbac-hub.yaml'],
    clusterName: (name) => name,
    createProvider: (configure) => createKubeconfigProvider({ namespace, configure }),
    declare: (hub, name, kubeconfig) =>
      putSecret(hub, namespace, {
        name,
        labels: { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' },
        data: { kubeconfig },
      }),
    remove: (hub, name) => hub.delete(Secret, { namespace, name }),
  },
  {
    name: 'capi',
    manifests: ['packages/provider-capi/manifests/rbac-hub.yaml'],
    clusterName: (name) => `${namespace}/${name}`,
    createProvider: (configure) => createCapiProvider({ namespace, configure }),
    definition: clusterDefinition,
    async declare(hub, name, value) {
      const labels = { 'cluster.x-k8s.io/cluster-name': name };
      await putSecret(hub, namespace, { name: `${name}-kubeconfig`, labels, data: { value } });
      await createOrUpdate(hub, Cluster, { namespace, name }, () => undefined);
      const status = { initialization: { controlPlaneInitialized: true } };
      await hub.status.patch(Cluster, { namespace, name }, { status }, 'merge');
    },
    remove: (hub, name) => hub.delete(Cluster, { namespace, name }),
  },
  {
    name: 'inventory',
    manifests: [
      'packages/provider-inventory/manifests/rbac-hub.yaml',
      'packages/provider-inventory/manifests/rbac-hub-secrets.yaml',
    ],
    clusterName: (name) => `${namespace}/${name}`,
    createProvider: (configure) => createInventoryProvider({ namespace, secret: { consumerName: 'suite' }, configure }),
    definition: profileDefinition,
    async declare(hub, name, Config) {
      const labels = { 'x-k8s.io/cluster-profile': name, 'x-k8s.io/cluster-inventory-consumer': 'suite' };
      await putSecret(hub, namespace, { name, labels, data: { Config } });
      const key = { namespace, name };
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
    remove: (hub, name) => hub.delete(ClusterProfile, { namespace, name }),
  },
];

interface SecretContent {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly data: Readonly<Record<string, string>>;
}

async function putSecret(hub: ApiClient, namespace: string, { name, labels, data }: SecretContent): Promise<void> {
  await createOrUpdate(hub, Secret, { namespace, name }, (secret) => {
    secret.metadata.labels = labels;
    secret.data = Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
  });
}
