import type { CredentialOwner } from '../control-plane.ts';
import type { Installation } from '../install/installation.ts';
import type { Credentials } from '../kubeconfig.ts';
import { credentials } from '../kubeconfig.ts';
import { RealControlPlane } from '../real-control-plane.ts';
import type { BinaryApiServer } from './api-server.ts';

interface BinariesControlPlaneParts {
  readonly name: string;
  readonly server: BinaryApiServer;
  readonly stop: () => Promise<void>;
  readonly installation: Installation | undefined;
}

/** A `kube-apiserver` and an `etcd` that run on this machine. */
export class BinariesControlPlane extends RealControlPlane {
  readonly #server: BinaryApiServer;

  constructor({ name, server, stop, installation }: BinariesControlPlaneParts) {
    const { identity, port, token } = server.record;
    const access = { name, server: `https://127.0.0.1:${port}`, caCertificate: identity.caCertificate };
    super({ backend: 'binaries', name, stop, installation, ...credentials({ ...access, proof: token }) });
    this.#server = server;
  }

  override get pid(): number {
    return this.#server.pid;
  }

  override async issueCertificate({ user, groups = [] }: CredentialOwner): Promise<Credentials> {
    const { issueClientCertificate } = await import('@mcr/apiserver/tls');
    const proof = await issueClientCertificate(this.#server.record.identity, { user, groups, cluster: this.name });
    const { server, tls } = this.config;
    return credentials({ name: this.name, server, caCertificate: tls?.caData ?? '', proof });
  }

  /** Also restarts `kube-apiserver`, whose watch cache would still hold the events that etcd discards. */
  override async compact(): Promise<void> {
    await this.#server.compact();
    await this.restart();
  }

  override async kill(): Promise<void> {
    await this.#server.kill();
  }

  override async restart(): Promise<void> {
    await this.#server.halt();
    await this.#server.run();
  }
}
