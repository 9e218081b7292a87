import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { sleep, systemClock } from '@mcr/client';
import type { FeatureGates } from '@mcr/apiserver';
import type { Assets } from './assets.ts';
import { Guard } from './guard.ts';
import { Program } from './program.ts';
import type { ServerRecord } from './server-files.ts';
import { filesIn, freePort, prepareFiles } from './server-files.ts';

/** Deadline for the programs to be ready, in milliseconds. */
const START_TIMEOUT = 60_000;
const PROBE_INTERVAL = 50;

/** Time for a program to end after it was asked to, in milliseconds. Then it is killed. */
const GRACE = 10_000;

/** Paths that must return 200 before `kube-apiserver` is usable: it then has its default roles and namespaces. */
const READY = ['/readyz', '/api/v1/namespaces/default'];

export interface BinaryApiServerOptions {
  readonly assets: Assets;
  /** Directory of its data, certificates and logs. */
  readonly directory: string;
  /** Whether to delete the directory when the server stops. */
  readonly disposable: boolean;
  /** Port on 127.0.0.1. 0: the port that it had before, or a free one. */
  readonly port: number;
  readonly featureGates?: FeatureGates;
}

/** A `kube-apiserver` with its own `etcd`: two processes that share one directory. */
export class BinaryApiServer {
  readonly record: ServerRecord;
  readonly #assets: Assets;
  readonly #directory: string;
  readonly #featureGates: FeatureGates;
  readonly #guard: Guard;
  #etcdUrl = '';
  /** Newest first: a program ends before the one that it depends on. */
  #programs: readonly Program[] = [];
  #stopping = false;

  private constructor(
    { assets, directory, disposable, featureGates = {} }: BinaryApiServerOptions,
    record: ServerRecord,
  ) {
    this.record = record;
    this.#assets = assets;
    this.#directory = directory;
    this.#featureGates = featureGates;
    this.#guard = new Guard(disposable ? directory : undefined);
  }

  /** Creates the files of a server without running it. */
  static async prepare(options: BinaryApiServerOptions): Promise<BinaryApiServer> {
    return new BinaryApiServer(options, await prepareFiles(options.directory, options.port));
  }

  /** Process id of `kube-apiserver`; 0 if it is not running. */
  get pid(): number {
    const [apiServer] = this.#programs;
    return apiServer?.end === undefined ? (apiServer?.pid ?? 0) : 0;
  }

  /**
   * Starts both programs and resolves once they are ready.
   *
   * @throws {Error} with the end of the log of the program that ended or is not ready in time.
   */
  async run(): Promise<void> {
    const files = filesIn(this.#directory);
    this.#etcdUrl = `http://127.0.0.1:${await freePort()}`;
    await this.#launch(this.#assets.etcd, files.etcdLog, [
      `--data-dir=${files.etcdData}`,
      `--listen-client-urls=${this.#etcdUrl}`,
      `--advertise-client-urls=${this.#etcdUrl}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      // The data must survive a crash of the processes, not of the machine.
      '--unsafe-no-fsync',
    ]);
    await this.#until(() => answers(`${this.#etcdUrl}/health`, {}));
    const { port, identity, token } = this.record;
    await this.#launch(this.#assets.apiServer, files.apiServerLog, [
      `--etcd-servers=${this.#etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${files.certificate}`,
      `--tls-private-key-file=${files.key}`,
      `--client-ca-file=${files.caCertificate}`,
      `--token-auth-file=${files.tokens}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${files.serviceAccountKey}`,
      `--service-account-signing-key-file=${files.serviceAccountKey}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--allow-privileged=true',
      // Without controllers, no namespace gets the service account that this plugin requires. There are no other API
      // servers to reconcile endpoints with.
      '--disable-admission-plugins=ServiceAccount',
      '--endpoint-reconciler-type=none',
      ...Object.entries(this.#featureGates).map(([gate, isOn]) => `--feature-gates=${gate}=${isOn}`),
    ]);
    const access = { ca: identity.caCertificate, headers: { authorization: `Bearer ${token}` } };
    for (const path of READY) {
      await this.#until(() => answers(`https://127.0.0.1:${port}${path}`, access));
    }
  }

  /** Compacts etcd to its current revision. */
  async compact(): Promise<void> {
    const { header } = (await this.#askEtcd('range', { key: 'AA==' })) as { header: { revision: string } };
    await this.#askEtcd('compaction', { revision: header.revision, physical: true });
  }

  /** Kills both processes, as in a crash. */
  async kill(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.kill()));
    this.#ended();
  }

  /** Ends both processes gracefully. */
  async halt(): Promise<void> {
    for (const program of this.#programs) await program.stop(GRACE);
    this.#ended();
  }

  /** Ends both processes, even while they start, and deletes the directory if it is disposable. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.halt();
    await this.#guard.release();
  }

  async #launch(path: string, log: string, args: readonly string[]): Promise<void> {
    this.#ensureWanted();
    const program = await Program.start(path, args, log);
    this.#programs = [program, ...this.#programs];
    this.#guard.watch(this.#programs.map(({ pid }) => pid));
    this.#ensureWanted();
  }

  #ensureWanted(): void {
    if (this.#stopping) throw new Error('the control plane was stopped while it started');
  }

  #ended(): void {
    this.#programs = [];
    this.#guard.watch([]);
  }

  /** Waits for the program that was started last. */
  async #until(isReady: () => Promise<boolean>): Promise<void> {
    const deadline = systemClock.now() + START_TIMEOUT;
    while (!(await isReady())) {
      this.#ensureWanted();
      const late = systemClock.now() < deadline ? undefined : this.#programs[0];
      const program = this.#programs.find(({ end }) => end !== undefined) ?? late;
      if (program) {
        const why = program.end ?? `not ready within ${START_TIMEOUT} ms`;
        throw new Error(`${program.name} did not start: ${why}\n${await program.tail()}`);
      }
      await sleep(systemClock, PROBE_INTERVAL, AbortSignal.timeout(START_TIMEOUT));
    }
  }

  async #askEtcd(operation: string, request: object): Promise<unknown> {
    const init = { method: 'POST', body: JSON.stringify(request), signal: AbortSignal.timeout(START_TIMEOUT) };
    const response = await fetch(`${this.#etcdUrl}/v3/kv/${operation}`, init);
    if (!response.ok) throw new Error(`etcd refused ${operation}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

interface ProbeOptions {
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reports whether a request gets status 200. */
function answers(url: string, options: ProbeOptions): Promise<boolean> {
  const get = url.startsWith('https:') ? getSecure : getPlain;
  return new Promise((resolve) => {
    const request = get(url, { ...options, agent: false, timeout: START_TIMEOUT }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
