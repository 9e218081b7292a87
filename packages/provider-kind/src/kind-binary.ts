import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@mcr/core';
import { systemClock } from '@mcr/core';
import { runCommand } from './command.ts';

export interface KindBinaryOptions {
  /** Name or path of the program. Default: `kind`. */
  readonly binary?: string;
  /** What runs the containers. Default: what Kind finds. */
  readonly containerRuntime?: 'docker' | 'podman' | 'nerdctl';
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

export interface CreateOptions {
  /** The image of its nodes, and so its version of Kubernetes. Default: that of this version of Kind. */
  readonly image?: string;
  readonly signal: AbortSignal;
}

/** Deadline for an answer about what there is, in milliseconds. */
const TO_ANSWER = 10_000;
/** Deadline for a cluster to be made, with the download of its image, or to be deleted, in milliseconds. */
const TO_CHANGE = 600_000;

/** What the `kind` program does, as functions. */
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
   * The names of the clusters that there are, also of those that are just being made, or do not run.
   *
   * @throws {KindError} when there is no such program, or no container engine that answers.
   */
  async clusters(signal: AbortSignal): Promise<string[]> {
    // That there is none is said on stderr.
    const printed = await this.#run(['get', 'clusters'], TO_ANSWER, signal);
    return printed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  }

  /**
   * The kubeconfig by which a cluster is reached from this machine.
   *
   * @throws {KindError} when there is no such cluster, or it has none yet.
   */
  async kubeconfig(name: string, signal: AbortSignal): Promise<string> {
    return this.#run(['get', 'kubeconfig', `--name=${name}`], TO_ANSWER, signal);
  }

  /**
   * Makes a cluster. The user's own kubeconfig is left alone.
   *
   * @returns its kubeconfig.
   * @throws {KindError} when there is a cluster of that name already, or it does not come to be.
   */
  async create(name: string, { image, signal }: CreateOptions): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-kind-'));
    try {
      const path = join(directory, 'kubeconfig');
      const args = ['create', 'cluster', `--name=${name}`, `--kubeconfig=${path}`];
      await this.#run(image === undefined ? args : [...args, `--image=${image}`], TO_CHANGE, signal);
      return await readFile(path, 'utf8');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Deletes a cluster; harmless when there is none. The user's own kubeconfig is left alone. */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-kind-'));
    try {
      const kubeconfig = `--kubeconfig=${join(directory, 'kubeconfig')}`;
      await this.#run(['delete', 'cluster', `--name=${name}`, kubeconfig], TO_CHANGE, signal);
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
