import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseKubeconfig } from '@mcr/client';
import type { EmbeddedClusterOptions } from '../embedded-api-server.ts';
import type { Installation } from '../install/installation.ts';
import { RealControlPlane } from '../real-control-plane.ts';

const execute = promisify(execFile);

/** Deadline for creating a cluster, including the download of its image, or for deleting one, in milliseconds. */
const TIMEOUT = 600_000;

/** Creates and deletes control planes with the `kind` program. They survive a process that does not stop them. */
export class KindHost {
  readonly #planes = new Set<RealControlPlane>();
  /** Control planes that are being created. */
  readonly #starting = new Set<Promise<RealControlPlane>>();

  /** @throws {Error} if the `kind` program or a container engine is not available. */
  async create(
    options: Pick<EmbeddedClusterOptions, 'name' | 'crds'>,
    installation?: Installation,
  ): Promise<RealControlPlane> {
    const starting = this.#create(options, installation).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
    return starting;
  }

  /** Deletes all clusters. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#planes].map((plane) => plane.stop()));
  }

  async #create(
    { name, crds = [] }: Pick<EmbeddedClusterOptions, 'name' | 'crds'>,
    installation: Installation | undefined,
  ): Promise<RealControlPlane> {
    // Other processes create control planes with the same names on this machine.
    const cluster = `mcr-${name}-${randomBytes(3).toString('hex')}`;
    const directory = await mkdtemp(join(tmpdir(), 'mcr-envtest-kind-'));
    try {
      // Leaves the user's own kubeconfig unchanged.
      const path = join(directory, 'kubeconfig');
      await kind(['create', 'cluster', `--name=${cluster}`, `--kubeconfig=${path}`]);
      const kubeconfig = await readFile(path, 'utf8');
      const plane = new RealControlPlane({
        backend: 'kind',
        name,
        installation,
        kubeconfig,
        config: parseKubeconfig(kubeconfig, { policy: 'untrusted' }),
        stop: async () => {
          this.#planes.delete(plane);
          await remove(cluster);
        },
      });
      this.#planes.add(plane);
      await plane.install(crds);
      return plane;
    } catch (error) {
      await remove(cluster).catch(() => undefined);
      throw error;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

async function remove(cluster: string): Promise<void> {
  await kind(['delete', 'cluster', `--name=${cluster}`, `--kubeconfig=${join(tmpdir(), `${cluster}.kubeconfig`)}`]);
}

async function kind(args: readonly string[]): Promise<void> {
  try {
    await execute('kind', args, { env: process.env, timeout: TIMEOUT });
  } catch (cause) {
    const { code, stderr } = cause as NodeJS.ErrnoException & { readonly stderr?: string };
    const why = code === 'ENOENT' ? 'program not found: install Kind (https://kind.sigs.k8s.io)' : stderr?.trim();
    throw new Error(`kind ${args.join(' ')}: ${why || (cause as Error).message}`, { cause });
  }
}
