import { chmod, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createDirectory } from '@mcr/apiserver/protocol';

const NAMES = ['etcd', 'kube-apiserver'] as const;

/**
 * Writes the programs that envtest of controller-runtime looks for in `$KUBEBUILDER_ASSETS`.
 *
 * @returns the absolute path of the directory.
 * @throws {Error} on Windows, which has no POSIX shell.
 */
export async function writeAssets(directory: string, platform: NodeJS.Platform = process.platform): Promise<string> {
  if (platform === 'win32') throw new Error('assets: the programs need a POSIX shell: use WSL on Windows');
  const path = resolve(directory);
  createDirectory(path);
  const { resolve: locate } = createRequire(import.meta.url);
  for (const name of NAMES) {
    const file = join(path, name);
    await writeFile(file, script(name, locate(`@mcr/apiserver/${name}`)));
    await chmod(file, 0o755);
  }
  return path;
}

/** Returns a program. It replaces the shell by Node.js, so that signals reach the server. */
function script(name: string, entry: string): string {
  const conditions = entry.endsWith('.ts') ? ' --conditions=@mcr/source' : '';
  return `#!/bin/sh
# Written by "mcr-envtest assets". Starts the embedded API server of @mcr/apiserver.
node=${quote(process.execPath)}
entry=${quote(entry)}
for file in "$node" "$entry"; do
  if [ ! -e "$file" ]; then
    echo "${name}: $file does not exist: run \\"npx @mcr/envtest assets\\" again, because Node.js or @mcr/envtest has moved" >&2
    exit 1
  fi
done
exec "$node"${conditions} "$entry" "$@"
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
