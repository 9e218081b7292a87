import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { sleep, systemClock } from '@mcr/client';
import type { Assets } from './assets.ts';
import { Guard } from './guard.ts';
import { Program } from './program.ts';
import type { Birth } from './server-files.ts';
import { filesIn, freePort, prepareFiles } from './server-files.ts';

/** Deadline for the programs to be ready, in milliseconds. */
const START_TIMEOUT = 60_000;
const PROBE_INTERVAL = 50;

/** How long a program that was asked to end may take, in milliseconds; then it is killed. */
const GRACE = 10_000;

/** What `kube-apiserver` must answer before it is of use: it has roles, and a namespace to work in. */
const READY = ['/readyz', '/api/v1/namespaces/default'];

export interface BinaryApiServerOptions {
  readonly assets: Assets;
  /** What it lives in. */
  readonly directory: string;
  /** Whether the directory goes with the server. */
  readonly disposable: boolean;
  /** Of 127.0.0.1. 0: the one it had before, or any that is free. */
  readonly port: number;
}

/** A `kube-apiserver` with an `etcd` of its own: two processes over one directory. */
export class BinaryApiServer {
  readonly birth: Birth;
  readonly #assets: Assets;
  readonly #directory: string;
  readonly #guard: Guard;
  #etcdUrl = '';
  /** The younger first: what needs the other ends before it. */
  #programs: readonly Program[] = [];
  #stopping = false;

  private constructor({ assets, directory, disposable }: BinaryApiServerOptions, birth: Birth) {
    this.birth = birth;
    this.#assets = assets;
    this.#directory = directory;
    this.#guard = new Guard(disposable ? directory : undefined);
  }

  /** Makes its files; it does not run yet. */
  static async prepare(options: BinaryApiServerOptions): Promise<BinaryApiServer> {
    return new BinaryApiServer(options, await prepareFiles(options.directory, options.port));
  }

  /** Of `kube-apiserver`; 0: it does not run. */
  get pid(): number {
    const [apiServer] = this.#programs;
    return apiServer?.end === undefined ? (apiServer?.pid ?? 0) : 0;
  }

  /** Resolves when it is ready. @throws {Error} with the end of the log of the program that ended, or is not ready in time. */
  async run(): Promise<void> {
    const files = filesIn(this.#directory);
    this.#etcdUrl = `http://127.0.0.1:${await freePort()}`;
    await this.#launch(this.#assets.etcd, files.etcdLog, [
      `--data-dir=${files.etcdData}`,
      `--listen-client-urls=${this.#etcdUrl}`,
      `--advertise-client-urls=${this.#etcdUrl}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      // What is written need outlive the processes, not the machine.
      '--unsafe-no-fsync',
    ]);
    await this.#until(() => answers(`${this.#etcdUrl}/health`, {}));
    const { port, identity, token } = this.birth;
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
      // Without controllers no namespace gets the service account that this plugin asks for; nor is there another master.
      '--disable-admission-plugins=ServiceAccount',
      '--endpoint-reconciler-type=none',
    ]);
    const access = { ca: identity.caCertificate, headers: { authorization: `Bearer ${token}` } };
    for (const path of READY) {
      await this.#until(() => answers(`https://127.0.0.1:${port}${path}`, access));
    }
  }

  /** Has etcd forget all versions but the present one. */
  async compact(): Promise<void> {
    const { header } = (await this.#askEtcd('range', { key: 'AA==' })) as { header: { revision: string } };
    await this.#askEtcd('compaction', { revision: header.revision, physical: true });
  }

  /** Ends both processes as a crash would. */
  async kill(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.kill()));
    this.#ended();
  }

  /** Ends both processes in good order. */
  async halt(): Promise<void> {
    for (const program of this.#programs) await program.stop(GRACE);
    this.#ended();
  }

  /** Ends both processes, also while they start, and removes what is disposable. */
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

  /** Waits for the program that was launched last. */
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
    if (!response.ok) throw new Error(`etcd refuses ${operation}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

interface ProbeOptions {
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether there is an answer of status 200. */
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
