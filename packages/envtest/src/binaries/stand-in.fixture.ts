import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Behaviour of the stand-in for `kube-apiserver`. */
export interface Behaviour {
  /** Exits at once, with this line in its log. */
  readonly fails?: string;
}

/**
 * A directory with an `etcd` and a `kube-apiserver` that implement as much of the real programs as the backend needs.
 */
export class AssetsStandIn implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create({ fails }: Behaviour = {}): Promise<AssetsStandIn> {
    const folder = await mkdtemp(join(tmpdir(), 'mcr-assets-stand-in-'));
    const node = (name: string): string => {
      const program = fileURLToPath(new URL(`./stand-in-${name}.fixture.ts`, import.meta.url));
      return `exec '${process.execPath}' --conditions=@mcr/source '${program}' "$@"`;
    };
    const apiServer = fails === undefined ? node('kube-apiserver') : `echo '${fails}' >&2; exit 3`;
    const programs = { etcd: node('etcd'), 'kube-apiserver': apiServer };
    for (const [name, command] of Object.entries(programs)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${command}\n`);
      await chmod(join(folder, name), 0o755);
    }
    return new AssetsStandIn(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
