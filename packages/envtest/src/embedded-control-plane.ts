import type { ClientCertificate, ClusterAddress, Command, Result } from '@mcr/apiserver';
import type { ClusterConfig } from '@mcr/client';
import type { ControlPlane, CredentialOwner, SeedObject, ThrottleOptions } from './control-plane.ts';
import type { EmbeddedApiServer } from './embedded-api-server.ts';
import type { LocalWebhooks } from './install/local-webhooks.ts';
import type { Credentials } from './kubeconfig.ts';
import { credentials } from './kubeconfig.ts';

interface EmbeddedControlPlaneParts {
  readonly server: EmbeddedApiServer;
  /** Sends a command to the process of the server. @throws {Error} with the answer, or if the process has ended. */
  readonly call: (command: Command) => Promise<Result>;
  readonly name: string;
  readonly address: ClusterAddress;
  readonly stop: () => Promise<void>;
  readonly webhooks: LocalWebhooks | undefined;
}

/** A logical cluster of an {@link EmbeddedApiServer}. */
export class EmbeddedControlPlane implements ControlPlane {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  readonly webhooks: LocalWebhooks | undefined;
  readonly #server: EmbeddedApiServer;
  readonly #call: EmbeddedControlPlaneParts['call'];
  readonly #address: ClusterAddress;
  readonly #stop: () => Promise<void>;

  constructor({ server, call, name, address, stop, webhooks }: EmbeddedControlPlaneParts) {
    this.name = name;
    this.webhooks = webhooks;
    this.#server = server;
    this.#call = call;
    this.#address = address;
    this.#stop = stop;
    const { config, kubeconfig } = this.#credentials(address.token);
    this.config = config;
    this.kubeconfig = kubeconfig;
  }

  get pid(): number {
    return this.#server.pid;
  }

  get port(): number {
    return this.#address.port;
  }

  async issueToken(owner?: CredentialOwner): Promise<Credentials> {
    const whom = owner && { user: owner.user, groups: [...(owner.groups ?? [])] };
    const token = await this.#call({ method: 'issueToken', name: this.name, ...whom });
    return this.#credentials(token as string);
  }

  async issueCertificate({ user, groups = [] }: CredentialOwner): Promise<Credentials> {
    const whom = { user, groups: [...groups] };
    const certificate = await this.#call({ method: 'issueCertificate', name: this.name, ...whom });
    return this.#credentials(certificate as ClientCertificate);
  }

  async throttle({ requests, retryAfterSeconds = 1 }: ThrottleOptions): Promise<void> {
    await this.#call({ method: 'throttle', name: this.name, requests, retryAfterSeconds });
  }

  async revokeToken({ config }: Pick<Credentials, 'config'>): Promise<void> {
    if (config.auth?.type !== 'token') throw new TypeError('config.auth: expected a token of this control plane');
    await this.#call({ method: 'revokeToken', name: this.name, token: config.auth.token });
  }

  async seed(object: SeedObject, count: number): Promise<void> {
    await this.#call({ method: 'seed', name: this.name, object: { ...object }, count });
  }

  async compact(): Promise<void> {
    await this.#call({ method: 'compact', name: this.name });
  }

  async endWatches(): Promise<void> {
    await this.#call({ method: 'endWatches', name: this.name });
  }

  async cutConnections(): Promise<void> {
    await this.#call({ method: 'cutConnections', name: this.name });
  }

  async suspend(): Promise<void> {
    await this.#call({ method: 'suspend', name: this.name });
  }

  async resume(): Promise<void> {
    await this.#call({ method: 'resume', name: this.name });
  }

  async kill(): Promise<void> {
    await this.#server.kill();
  }

  async restart(): Promise<void> {
    await this.#server.restart();
  }

  async stop(): Promise<void> {
    await this.#stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #credentials(proof: string | ClientCertificate): Credentials {
    const { port, caCertificate } = this.#address;
    return credentials({ name: this.name, server: `https://127.0.0.1:${port}`, caCertificate, proof });
  }
}
