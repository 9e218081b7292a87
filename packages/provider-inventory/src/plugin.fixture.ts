import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ANSWER = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}';

/** An exec credential plugin in a temporary directory. */
export class Plugin implements AsyncDisposable {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** @param program a shell script, which calls `answer` with a token to return it. */
  static async write(program: (answer: string) => string): Promise<Plugin> {
    const plugin = new Plugin(await mkdtemp(join(tmpdir(), 'plugin-')));
    await writeFile(plugin.command, `#!/bin/sh\n${program(`printf '${ANSWER}'`)}\n`);
    await chmod(plugin.command, 0o755);
    return plugin;
  }

  get command(): string {
    return join(this.directory, 'plugin');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true });
  }
}
