import { randomBytes } from 'node:crypto';
import type { ApiClient, ClusterConfig } from '@mcr/client';
import {
  ClusterRoleBinding,
  createClient,
  CustomResourceDefinition,
  defineKind,
  parseKubeconfig,
  ServiceAccount,
  sleep,
  systemClock,
  TokenRequest,
} from '@mcr/client';
import type { ControlPlane, CredentialOwner, SeedObject } from '../control-plane.ts';
import type { EmbeddedClusterOptions } from '../embedded-api-server.ts';
import type { Credentials } from '../kubeconfig.ts';
import { credentials } from '../kubeconfig.ts';
import { UnsupportedOperationError } from './unsupported-operation-error.ts';

const NAMESPACE = 'kube-system';

/** How often it is looked whether a definition is served yet, and how often at most. */
const LOOK = { interval: 100, most: 300 };

/** A Kind cluster. It has no switches for faults: for those there is the embedded server, or a FaultProxy before it. */
export class KindControlPlane implements ControlPlane {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  /** Containers serve it: none of this machine's processes in particular. */
  readonly pid = 0;
  readonly #client: ApiClient;
  readonly #delete: () => Promise<void>;
  /** The service accounts of the tokens that were issued. */
  readonly #accounts = new Map<string, string>();
  #stopped: Promise<void> | undefined;

  constructor(name: string, kubeconfig: string, deleteCluster: () => Promise<void>) {
    this.name = name;
    this.kubeconfig = kubeconfig;
    this.config = parseKubeconfig(kubeconfig, { policy: 'untrusted' });
    this.#client = createClient(this.config);
    this.#delete = deleteCluster;
  }

  /** Resolves when the kinds that the definitions define are served. */
  async install(crds: NonNullable<EmbeddedClusterOptions['crds']>): Promise<void> {
    for (const definition of crds) {
      const { apiVersion, kind } = definition;
      const { metadata } = await this.#client.create(defineKind({ apiVersion, kind }), definition);
      for (let look = 0; look < LOOK.most; look++) {
        const { status } = await this.#client.get(CustomResourceDefinition, metadata);
        if (status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True')) break;
        await sleep(systemClock, LOOK.interval, new AbortController().signal);
      }
    }
  }

  async issueToken(owner?: CredentialOwner): Promise<Credentials> {
    if (owner) return unsupported('issueToken() for a user');
    const name = `mcr-${randomBytes(4).toString('hex')}`;
    const key = { namespace: NAMESPACE, name };
    await this.#client.create(ServiceAccount, { metadata: key });
    await this.#client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...key }],
    });
    const { status } = await this.#client
      .subresource('token', TokenRequest)
      .create(ServiceAccount, key, { metadata: key, spec: { audiences: [], expirationSeconds: 86_400 } });
    const proof = status?.token ?? '';
    this.#accounts.set(proof, name);
    const { server, tls } = this.config;
    return credentials({ name: this.name, server, caCertificate: tls?.caData ?? '', proof });
  }

  async revokeToken({ config }: Pick<Credentials, 'config'>): Promise<void> {
    const token = config.auth?.type === 'token' ? config.auth.token : '';
    const name = this.#accounts.get(token);
    if (name === undefined) throw new TypeError('config.auth: expected a token that this control plane has issued');
    this.#accounts.delete(token);
    await this.#client.delete(ServiceAccount, { namespace: NAMESPACE, name });
    await this.#client.delete(ClusterRoleBinding, { name });
  }

  async seed(object: SeedObject, count: number): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    for (let index = 0; index < count; index++) {
      const named = { ...object, metadata: { ...metadata, name: `${metadata.name}-${index}` } };
      await this.#client.create(defineKind({ apiVersion, kind }), named);
    }
  }

  issueCertificate = () => unsupported('issueCertificate()');
  compact = () => unsupported('compact()');
  endWatches = () => unsupported('endWatches()');
  throttle = () => unsupported('throttle()');
  cutConnections = () => unsupported('cutConnections()');
  suspend = () => unsupported('suspend()');
  resume = () => unsupported('resume()');
  kill = () => unsupported('kill()');
  restart = () => unsupported('restart()');

  async stop(): Promise<void> {
    this.#stopped ??= this.#client.close().then(this.#delete);
    await this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function unsupported(operation: string): Promise<never> {
  return Promise.reject(new UnsupportedOperationError('kind', operation));
}
