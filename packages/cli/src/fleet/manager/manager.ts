import { readFile } from 'node:fs/promises';
import { type ApiClient, createClient, type DeepReadonly, loadKubeconfig, type Pod } from '@mcr/core';
import { createDialer, type Dialer } from '@mcr/core/provider';
import { type Access, statusUrl } from './fetch-status.ts';
import { HubCredentials } from './hub-credentials.ts';
import type { ManagerOptions } from './manager-options.ts';
import { findPods, metricsPort, targetOf } from './pods.ts';
import { openPortForward } from './port-forward.ts';
import { type Replica, replicaAt } from './replica.ts';

/** The replicas of a manager, at one time. */
export interface Replicas {
  readonly replicas: readonly Replica[];
  /** Replicas that cannot be asked, each with the reason. */
  readonly unavailable: readonly string[];
}

/** A manager whose fleet status is read, once or often. */
export interface Manager extends AsyncDisposable {
  readonly access: Access;
  /** Returns the replicas that exist now. */
  replicas(signal: AbortSignal): Promise<Replicas>;
}

/** Prepares reading a manager. Nothing is sent yet. @throws {Error} if the kubeconfig is not valid. */
export function openManager(options: ManagerOptions): Manager {
  return options.namespace === undefined
    ? new ManagerAtAddresses(options)
    : new ManagerInCluster(options, options.namespace);
}

class ManagerAtAddresses implements Manager {
  readonly access: Access;
  readonly #replicas: readonly Replica[];

  constructor(options: ManagerOptions) {
    this.#replicas = options.url.map((address) => replicaAt(address, statusUrl(address)));
    this.access = {
      token: () => fileToken(options.tokenFile),
      tls: async () => tlsOf(options, options.caFile && (await readFile(options.caFile, 'utf8'))),
    };
  }

  replicas(): Promise<Replicas> {
    return Promise.resolve({ replicas: this.#replicas, unavailable: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each connection ends with its request.
  }
}

/** Reaches each Pod by a forwarded port, so that it needs neither a Service nor a route. */
class ManagerInCluster implements Manager {
  readonly access: Access;
  readonly #options: ManagerOptions;
  readonly #namespace: string;
  readonly #client: ApiClient;
  readonly #dialer: Dialer;

  constructor(options: ManagerOptions, namespace: string) {
    const { kubeconfig, context, tokenFile } = options;
    const config = loadKubeconfig({
      ...(kubeconfig !== undefined && { path: kubeconfig }),
      ...(context !== undefined && { context }),
    });
    this.#options = options;
    this.#namespace = namespace;
    this.#client = createClient(config);
    this.#dialer = createDialer(config);
    const hub = new HubCredentials(this.#client, this.#dialer, { ...options, namespace });
    this.access = {
      token: (signal) => (tokenFile === undefined ? hub.token(signal) : fileToken(tokenFile)),
      tls: async (signal) => {
        const { caFile } = options;
        return tlsOf(options, caFile === undefined ? await hub.ca(signal) : await readFile(caFile, 'utf8'));
      },
    };
  }

  async replicas(signal: AbortSignal): Promise<Replicas> {
    const { manager } = this.#options;
    const selection = { namespace: this.#namespace, ...(manager !== undefined && { manager }) };
    const pods = await findPods(this.#client, selection, signal);
    const [running, others] = [pods.filter(isRunning), pods.filter((pod) => !isRunning(pod))];
    const unavailable = others.map(
      ({ metadata, status }) => `pod/${metadata.name}: the Pod is ${status?.phase ?? 'Pending'}, not Running`,
    );
    const replicas: Replica[] = [];
    for (const pod of running) {
      try {
        replicas.push(this.#replicaOf(pod));
      } catch (error) {
        unavailable.push(`pod/${pod.metadata.name}: ${(error as Error).message}`);
      }
    }
    return { replicas, unavailable };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dialer.close();
    await this.#client.close();
  }

  #replicaOf(pod: DeepReadonly<Pod>): Replica {
    const { name, deletionTimestamp } = pod.metadata;
    const port = metricsPort(pod, this.#options.port);
    return {
      name: `pod/${name}`,
      // A manager that listens on loopback accepts only loopback names.
      url: new URL(`${isSecure(this.#options) ? 'https' : 'http'}://localhost:${port}/fleet`),
      isEnding: deletionTimestamp !== undefined,
      open: (signal) => openPortForward(this.#dialer, { namespace: this.#namespace, pod: name, port }, signal),
    };
  }
}

function isRunning({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase === 'Running';
}

/** Whether the manager in a cluster serves TLS. */
function isSecure({ caFile, caSecret, insecureSkipTlsVerify = false }: ManagerOptions): boolean {
  return caFile !== undefined || caSecret !== undefined || insecureSkipTlsVerify;
}

function tlsOf(options: ManagerOptions, ca: string | undefined): Awaited<ReturnType<Access['tls']>> {
  const { insecureSkipTlsVerify = false } = options;
  const servername = serverNameOf(options);
  return {
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(ca !== undefined && { ca }),
    ...(servername !== undefined && { servername }),
  };
}

/** Returns the name that the certificate must have: by default, that of the Service with the name of the workload. */
function serverNameOf({ tlsServerName, namespace, manager }: ManagerOptions): string | undefined {
  if (tlsServerName !== undefined || namespace === undefined) return tlsServerName;
  const target = manager === undefined ? undefined : targetOf(manager);
  return target?.workload ? `${target.name}.${namespace}.svc` : undefined;
}

async function fileToken(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : (await readFile(path, 'utf8')).trim();
}
