import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The files and directories that kubeconfigs are read from. */
export interface Sources {
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

/**
 * Returns the files and directories of the options. Without any: the files of `$KUBECONFIG`, else `~/.kube/config`, else
 * the working directory. (Upstream: `providers/file`.)
 */
export function sourcesOf(
  { kubeconfigFiles, kubeconfigDirs }: Record<'kubeconfigFiles' | 'kubeconfigDirs', readonly string[]>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Sources {
  if (kubeconfigFiles.length > 0 || kubeconfigDirs.length > 0) {
    return { files: kubeconfigFiles, directories: kubeconfigDirs };
  }
  // A repeated path is used once, like in kubectl.
  const listed = [...new Set((env['KUBECONFIG'] ?? '').split(delimiter).filter(Boolean))];
  if (listed.length > 0) return { files: listed, directories: [] };
  const home = join(env['HOME'] ?? homedir(), '.kube', 'config');
  return existsSync(home) ? { files: [home], directories: [] } : { files: [], directories: ['.'] };
}
