import { randomBytes } from 'node:crypto';
import type { ApiClient, ClusterConfig } from '@mcr/client';
import {
  ClusterRoleBinding,
  createClient,
  CustomResourceDefinition,
  defineKind,
  isAlreadyExists,
  isUnauthorized,
  ServiceAccount,
  sleep,
  systemClock,
  TokenRequest,
} from '@mcr/client';
import type { ControlPlane, CredentialOwner, SeedObject } from './control-plane.ts';
import type { EmbeddedClusterOptions } from './embedded-api-server.ts';
import type { Credentials } from './kubeconfig.ts';
import { credentials } from './kubeconfig.ts';
import { UnsupportedOperationError } from './unsupported-operation-error.ts';

const NAMESPACE = 'kube-system';

/** How often is looked whether something has come to be, in milliseconds, and how often at most. */
const LOOK = { interval: 100, most: 300 };

interface RealControlPlaneOptions extends Credentials {
  readonly backend: string;
  readonly name: string;
  /** Ends what serves it. */
  readonly stop: () => Promise<void>;
}

/** A control plane of Kubernetes itself. It has few switches for faults: for those there is a FaultProxy before it. */
export class RealControlPlane implements ControlPlane {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  readonly #backend: string;
  readonly #client: ApiClient;
  readonly #stop: () => Promise<void>;
  /** The service accounts of the tokens that were issued. */
  readonly #accounts = new Map<string, string>();
  #stopped: Promise<void> | undefined;

  constructor({ backend, name, config, kubeconfig, stop }: RealControlPlaneOptions) {
    this.#backend = backend;
    this.name = name;
    this.config = config;
    this.kubeconfig = kubeconfig;
    this.#client = createClient(config);
    this.#stop = stop;
  }

  /** None of this machine's processes in particular. */
  get pid(): number {
    return 0;
  }

  /** Resolves when the kinds that the definitions define are served. */
  async install(crds: NonNullable<EmbeddedClusterOptions['crds']>): Promise<void> {
    for (const definition of crds) {
      const { apiVersion, kind, metadata } = definition;
      await this.#client.create(defineKind({ apiVersion, kind }), definition).catch((error: unknown) => {
        // It is there from an earlier life.
        if (!isAlreadyExists(error)) throw error;
      });
      await look(async () => {
        const { spec, status } = await this.#client.get(CustomResourceDefinition, metadata);
        const { group, names, versions } = spec;
        const version = versions.find(({ served }) => served)?.name;
        if (!status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True'))
          return false;
        if (version === undefined) return true;
        // An established kind takes a moment to be served.
        const defined = defineKind({ apiVersion: `${group}/${version}`, kind: names.kind });
        return this.#client.list(defined, { limit: 1 }).then(
          () => true,
          () => false,
        );
      });
    }
  }

  async issueToken(owner?: CredentialOwner): Promise<Credentials> {
    if (owner) return this.#unsupported('issueToken() for a user');
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
    // An API server remembers for some seconds that a token was good.
    await using refused = createClient(config);
    await look(() => refused.get(ServiceAccount, { namespace: NAMESPACE, name }).then(() => false, isUnauthorized));
  }

  async seed(object: SeedObject, count: number): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    for (let index = 0; index < count; index++) {
      const named = { ...object, metadata: { ...metadata, name: `${metadata.name}-${index}` } };
      await this.#client.create(defineKind({ apiVersion, kind }), named);
    }
  }

  issueCertificate(_owner: CredentialOwner): Promise<Credentials> {
    return this.#unsupported('issueCertificate()');
  }

  compact(): Promise<void> {
    return this.#unsupported('compact()');
  }

  endWatches(): Promise<void> {
    return this.#unsupported('endWatches()');
  }

  throttle(): Promise<void> {
    return this.#unsupported('throttle()');
  }

  cutConnections(): Promise<void> {
    return this.#unsupported('cutConnections()');
  }

  suspend(): Promise<void> {
    return this.#unsupported('suspend()');
  }

  resume(): Promise<void> {
    return this.#unsupported('resume()');
  }

  kill(): Promise<void> {
    return this.#unsupported('kill()');
  }

  restart(): Promise<void> {
    return this.#unsupported('restart()');
  }

  async stop(): Promise<void> {
    this.#stopped ??= this.#client.close().then(this.#stop);
    await this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #unsupported(operation: string): Promise<never> {
    return Promise.reject(new UnsupportedOperationError(this.#backend, operation));
  }
}

async function look(isSo: () => Promise<boolean | undefined>): Promise<void> {
  for (let count = 0; count < LOOK.most && !(await isSo()); count++) {
    await sleep(systemClock, LOOK.interval, new AbortController().signal);
  }
}
