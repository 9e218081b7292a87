import type { ApiClient, ClusterConfig } from '@mcr/core';
import {
  ClusterRoleBinding,
  ConfigMap,
  createClient,
  createOrUpdate,
  CustomResourceDefinition,
  isUnauthorized,
  Namespace,
  ServiceAccount,
} from '@mcr/core';
import { asServiceAccount, kubeconfigOf } from '../rbac/service-account.ts';
import { until } from '../until.ts';
import type { ProvidedCluster } from './backend.ts';
import { RUN_LABEL } from './run.ts';
import { sweep } from './sweep.ts';

/** Credentials of an administrator, issued for one scenario. */
export interface Pass {
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  readonly account: string;
}

/** A CustomResourceDefinition to create. */
export interface Definition {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: CustomResourceDefinition['spec'];
}

export interface SiteOptions {
  readonly cluster: ProvidedCluster;
  readonly runId: string;
  /** The scenario's own namespace; it is created. */
  readonly namespace: string;
}

/** A cluster as seen by one scenario: with its own namespace, and a label that identifies its objects. */
export class Site {
  readonly name: string;
  /** An administrator's configuration. */
  readonly config: ClusterConfig;
  /** An administrator's client. */
  readonly client: ApiClient;
  readonly namespace: string;
  /** Labels of namespaces and cluster-scoped objects, which are deleted when the scenario ends. */
  readonly labels: Readonly<Record<string, string>>;
  readonly #cluster: ProvidedCluster;
  readonly #runId: string;
  #passes = 0;

  private constructor({ cluster, runId, namespace }: SiteOptions) {
    this.name = cluster.name;
    this.config = cluster.config;
    this.#cluster = cluster;
    this.client = createClient(cluster.config);
    this.namespace = namespace;
    this.#runId = runId;
    this.labels = { [RUN_LABEL]: runId };
  }

  static async open(options: SiteOptions): Promise<Site> {
    const site = new Site(options);
    try {
      await site.createNamespace(site.namespace);
      return site;
    } catch (error) {
      await site.client.close();
      throw error;
    }
  }

  /** The key of an object in the scenario's namespace. */
  key(name: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name };
  }

  /** @param name must begin with {@link namespace}, so that scenarios do not collide. */
  async createNamespace(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.client.create(Namespace, { metadata: { name, labels: { ...labels, ...this.labels } } });
  }

  /** Writes `data.input` of a ConfigMap in the scenario's namespace: controllers of scenarios react to it. */
  async put(name: string, input: string): Promise<void> {
    await createOrUpdate(this.client, ConfigMap, this.key(name), (configMap) => {
      configMap.data = { ...configMap.data, input };
    });
  }

  /** Resolves once the definition is established. */
  async install({ metadata, spec }: Definition): Promise<void> {
    const { name } = metadata;
    await this.client.create(CustomResourceDefinition, { metadata: { ...metadata, labels: this.labels }, spec });
    await until(async () => {
      const { status } = await this.client.get(CustomResourceDefinition, { name });
      return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
    });
  }

  /** Issues new credentials of an administrator: the token of a ServiceAccount. */
  async issuePass(): Promise<Pass> {
    const account = `administrator-${++this.#passes}`;
    const key = this.key(account);
    await this.client.create(ServiceAccount, { metadata: key });
    await this.client.create(ClusterRoleBinding, {
      metadata: { name: `${this.namespace}-${account}`, labels: this.labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...key }],
    });
    const config = await asServiceAccount(this.client, key, this.config);
    return { config, kubeconfig: kubeconfigOf(config), account };
  }

  /** Resolves once the API server refuses the credentials. */
  async revoke({ account, config }: Pass): Promise<void> {
    await this.client.delete(ServiceAccount, this.key(account));
    await using revoked = createClient(config);
    // API servers cache valid tokens for some seconds.
    await until(() => revoked.find(ServiceAccount, this.key(account)).then(() => false, isUnauthorized));
  }

  kill(): Promise<void> {
    return this.#cluster.kill();
  }

  restart(): Promise<void> {
    return this.#cluster.restart();
  }

  compact(): Promise<void> {
    return this.#cluster.compact();
  }

  /** Deletes the objects of the scenario, unless the cluster is deleted as well. A run plays one scenario at a time. */
  async close(): Promise<void> {
    try {
      if (!this.#cluster.isDisposable) await sweep(this.client, { isOurs: (runId) => runId === this.#runId });
    } finally {
      await this.client.close();
    }
  }
}
