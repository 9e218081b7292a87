import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@mcr/core';
import { systemClock } from '@mcr/core';
import { runCommand } from './command.ts';

export interface KindBinaryOptions {
  /** Name or path of the program. Default: `kind`. */
  readonly binary?: string;
  /** Container engine. Default: the one that Kind detects. */
  readonly containerRuntime?: 'docker' | 'podman' | 'nerdctl';
  /** Default: the system clock. */
  readonly clock?: Clock;
}

export interface CreateOptions {
  /** Image of the nodes, which determines the version of Kubernetes. Default: that of the Kind version. */
  readonly image?: string;
  readonly signal: AbortSignal;
}

/** Timeout of queries, in milliseconds. */
const QUERY_TIMEOUT = 10_000;
/** Timeout of creating a cluster, including the download of its image, and of deleting one, in milliseconds. */
const CHANGE_TIMEOUT = 600_000;

/** Runs the `kind` program. */
export class KindBinary {
  readonly #binary: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #clock: Clock;

  constructor({ binary = 'kind', containerRuntime, clock = systemClock }: KindBinaryOptions = {}) {
    this.#binary = binary;
    this.#env = { ...process.env, ...(containerRuntime && { KIND_EXPERIMENTAL_PROVIDER: containerRuntime }) };
    this.#clock = clock;
  }

  /**
   * Returns the names of all clusters, including those that are being created or do not run.
   *
   * @throws {KindError} if the program is missing, or the container engine does not respond.
   */
  async clusters(signal: AbortSignal): Promise<string[]> {
    // The message that there is no cluster is on stderr.
    const printed = await this.#run(['get', 'clusters'], QUERY_TIMEOUT, signal);
    return printed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  }

  /**
   * Returns the kubeconfig of a cluster, for use on this machine.
   *
   * @throws {KindError} if the cluster does not exist, or has no kubeconfig yet.
   */
  async kubeconfig(name: string, signal: AbortSignal): Promise<string> {
    return this.#run(['get', 'kubeconfig', `--name=${name}`], QUERY_TIMEOUT, signal);
  }

  /**
   * Creates a cluster, without changing the user's kubeconfig.
   *
   * @returns its kubeconfig.
   * @throws {KindError} if the name is taken, or the cluster cannot be created.
   */
  async create(name: string, { image, signal }: CreateOptions): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-kind-'));
    try {
      const path = join(directory, 'kubeconfig');
      const args = ['create', 'cluster', `--name=${name}`, `--kubeconfig=${path}`];
      await this.#run(image === undefined ? args : [...args, `--image=${image}`], CHANGE_TIMEOUT, signal);
      return await readFile(path, 'utf8');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Deletes a cluster if it exists, without changing the user's kubeconfig. */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-kind-'));
    try {
      const kubeconfig = `--kubeconfig=${join(directory, 'kubeconfig')}`;
      await this.#run(['delete', 'cluster', `--name=${name}`, kubeconfig], CHANGE_TIMEOUT, signal);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  #run(args: readonly string[], timeout: number, signal: AbortSignal): Promise<string> {
    return runCommand({ program: this.#binary, args, env: this.#env, timeout, clock: this.#clock, signal });
  }
}

/** Creates a client of the program `kind`. */
export function createKindBinary(options: KindBinaryOptions = {}): KindBinary {
  return new KindBinary(options);
}
