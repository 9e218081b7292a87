import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Kubeconfig files that only their owner may read. Disposal deletes them. */
export class KubeconfigFiles implements AsyncDisposable {
  readonly paths: readonly string[];
  readonly #directory: string;

  private constructor(directory: string, paths: readonly string[]) {
    this.#directory = directory;
    this.paths = paths;
  }

  static async write(
    clusters: readonly { readonly name: string; readonly kubeconfig: string }[],
  ): Promise<KubeconfigFiles> {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-demo-'));
    const files = new KubeconfigFiles(
      directory,
      clusters.map(({ name }) => join(directory, `${name}.kubeconfig`)),
    );
    await Promise.all(
      clusters.map(({ name, kubeconfig }) =>
        writeFile(join(directory, `${name}.kubeconfig`), kubeconfig, { mode: 0o600 }),
      ),
    );
    return files;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}
