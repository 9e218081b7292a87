import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createDirectory, lockDirectory } from '@mcr/apiserver/protocol';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { ControlPlane } from '../control-plane.ts';

/** A cluster and its file. */
export interface WrittenCluster {
  readonly name: string;
  readonly server: string;
  /** Absolute path. */
  readonly kubeconfig: string;
}

/** Kubeconfig files of clusters. */
export interface WrittenKubeconfigs {
  readonly clusters: readonly WrittenCluster[];
  /** Absolute path of the file with the contexts of all clusters. */
  readonly all: string;
  /** Deletes the files, if their directory is a temporary one. */
  remove(): Promise<void>;
}

const documentSchema = z.looseObject({
  clusters: z.array(z.unknown()),
  users: z.array(z.unknown()),
  contexts: z.array(z.unknown()),
});

/**
 * Reserves a directory for the kubeconfigs of this process, and creates it.
 *
 * @returns a function that releases the directory.
 * @throws {Error} that names the process that uses the directory, and the file of the lock.
 */
export function reserveDirectory(directory: string): () => void {
  const path = resolve(directory);
  createDirectory(path, 0o700);
  return lockDirectory(path, { file: 'up.lock', owner: '"mcr-envtest up"' });
}

/** Writes a file for each control plane, and one with the contexts of all. Only their owner can read them. */
export async function writeKubeconfigs(
  planes: readonly ControlPlane[],
  directory: string | undefined,
): Promise<WrittenKubeconfigs> {
  const path = directory === undefined ? await mkdtemp(join(tmpdir(), 'mcr-envtest-')) : resolve(directory);
  createDirectory(path, 0o700);
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(path, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  const clusters: WrittenCluster[] = [];
  for (const { name, config, kubeconfig } of planes) {
    clusters.push({ name, server: config.server, kubeconfig: await write(`${name}.kubeconfig`, kubeconfig) });
  }
  const all = await write('kubeconfig', merged(planes));
  return {
    clusters,
    all,
    remove: async () => {
      if (directory === undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Returns a kubeconfig with the contexts of all control planes. The first one is current. */
function merged(planes: readonly ControlPlane[]): string {
  const documents = planes.map(({ kubeconfig }) => documentSchema.parse(parse(kubeconfig)));
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: documents.flatMap(({ clusters }) => clusters),
    users: documents.flatMap(({ users }) => users),
    contexts: documents.flatMap(({ contexts }) => contexts),
    'current-context': planes[0]?.name ?? '',
  });
}
