import { randomBytes } from 'node:crypto';
import type { ApiClient, ClusterConfig } from '@mcr/client';
import {
  ClusterRoleBinding,
  createClient,
  defineKind,
  isUnauthorized,
  ServiceAccount,
  sleep,
  systemClock,
  TokenRequest,
} from '@mcr/client';
import type { ControlPlane, CredentialOwner, SeedObject } from './control-plane.ts';
import type { EmbeddedClusterOptions } from './embedded-api-server.ts';
import { installDefinitions } from './install/definitions.ts';
import type { Installation } from './install/installation.ts';
import type { LocalWebhooks } from './install/local-webhooks.ts';
import type { Credentials } from './kubeconfig.ts';
import { credentials } from './kubeconfig.ts';
import { UnsupportedOperationError } from './unsupported-operation-error.ts';

const NAMESPACE = 'kube-system';

/** Interval between two polls in milliseconds, and the maximum number of polls. */
const POLL = { interval: 100, attempts: 300 };

interface RealControlPlaneOptions extends Credentials {
  readonly backend: string;
  readonly name: string;
  /** Stops the processes or containers behind the control plane. */
  readonly stop: () => Promise<void>;
  /** Files that were installed. Temporary ones are deleted after the control plane has stopped. */
  readonly installation?: Installation | undefined;
}

/** A control plane that runs Kubernetes itself. It can inject few faults by itself; use a FaultProxy for the others. */
export class RealControlPlane implements ControlPlane {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  readonly #backend: string;
  readonly #client: ApiClient;
  readonly #stop: () => Promise<void>;
  readonly #installation: Installation | undefined;
  /** Service accounts of the issued tokens, by token. */
  readonly #accounts = new Map<string, string>();
  #stopped: Promise<void> | undefined;

  constructor({ backend, name, config, kubeconfig, stop, installation }: RealControlPlaneOptions) {
    this.#backend = backend;
    this.name = name;
    this.config = config;
    this.kubeconfig = kubeconfig;
    this.#client = createClient(config);
    this.#stop = stop;
    this.#installation = installation;
  }

  get webhooks(): LocalWebhooks | undefined {
    return this.#installation?.webhooks;
  }

  /** 0: the control plane is not one process of this machine. */
  get pid(): number {
    return 0;
  }

  /** Installs CustomResourceDefinitions and resolves once their kinds are served. */
  async install(crds: NonNullable<EmbeddedClusterOptions['crds']>): Promise<void> {
    const definitions = crds.map((object, index) => ({ source: `crds[${index}]`, object }));
    await installDefinitions(this.#client, definitions);
  }

  async issueToken(owner?: CredentialOwner): Promise<Credentials> {
    if (owner) return this.unsupported('issueToken() for a user');
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
    // API servers cache a successful token review for a few seconds.
    await using refused = createClient(config);
    await poll(() => refused.get(ServiceAccount, { namespace: NAMESPACE, name }).then(() => false, isUnauthorized));
  }

  async seed(object: SeedObject, count: number): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    for (let index = 0; index < count; index++) {
      const named = { ...object, metadata: { ...metadata, name: `${metadata.name}-${index}` } };
      await this.#client.create(defineKind({ apiVersion, kind }), named);
    }
  }

  issueCertificate(_owner: CredentialOwner): Promise<Credentials> {
    return this.unsupported('issueCertificate()');
  }

  compact(): Promise<void> {
    return this.unsupported('compact()');
  }

  endWatches(): Promise<void> {
    return this.unsupported('endWatches()');
  }

  throttle(): Promise<void> {
    return this.unsupported('throttle()');
  }

  cutConnections(): Promise<void> {
    return this.unsupported('cutConnections()');
  }

  suspend(): Promise<void> {
    return this.unsupported('suspend()');
  }

  resume(): Promise<void> {
    return this.unsupported('resume()');
  }

  kill(): Promise<void> {
    return this.unsupported('kill()');
  }

  restart(): Promise<void> {
    return this.unsupported('restart()');
  }

  async stop(): Promise<void> {
    this.#stopped ??= this.#client
      .close()
      .then(this.#stop)
      .then(() => this.#installation?.remove());
    await this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Rejects an operation that the backend does not have. */
  protected unsupported(operation: string): Promise<never> {
    return Promise.reject(new UnsupportedOperationError(this.#backend, operation));
  }
}

async function poll(isDone: () => Promise<boolean | undefined>): Promise<void> {
  for (let count = 0; count < POLL.attempts && !(await isDone()); count++) {
    await sleep(systemClock, POLL.interval, new AbortController().signal);
  }
}
