import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ClusterConfig } from './cluster-config.ts';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { clusterConfigOf } from './kubeconfig.ts';
import { mergeKubeconfigDocuments, readKubeconfigDocument } from './kubeconfig-document.ts';
import { checkKnownOptions } from '../options/known-options.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

export interface LoadKubeconfigOptions {
  /** Default: the files of `$KUBECONFIG`, else `~/.kube/config`, else the cluster that this process runs in. */
  readonly path?: string;
  /** Default: the kubeconfig's `current-context`. */
  readonly context?: string;
  /** Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const OPTIONS = Object.keys({ path: true, context: true, env: true } satisfies Record<
  keyof LoadKubeconfigOptions,
  true
>);

/**
 * The config that kubectl would use: see {@link LoadKubeconfigOptions.path}. Where it names no
 * proxy itself, that of `HTTPS_PROXY` is used unless `NO_PROXY` lists the server.
 *
 * @throws {TypeError} when the options are not an object, or one is unknown.
 * @throws {KubeconfigError} when there is none, or it cannot be used; the message names the file and the field.
 */
export function loadKubeconfig(options: LoadKubeconfigOptions = {}): ClusterConfig {
  checkKnownOptions('loadKubeconfig', options, OPTIONS, '{ path }');
  const found = findKubeconfig(options);
  if (found) return found;
  const home = homeKubeconfig(options.env);
  throw new KubeconfigError(`not found: set $KUBECONFIG, write ${home}, or run in a pod with a service account`);
}

/**
 * Like {@link loadKubeconfig}, but returns `undefined` when there is none: no `$KUBECONFIG`, no `~/.kube/config`, and no
 * Pod. It also throws if `$KUBECONFIG` names a missing file, or if a file cannot be used.
 *
 * @throws {KubeconfigError} when it cannot be used; the message names the file and the field.
 */
export function findKubeconfig({ path, context, env = process.env }: LoadKubeconfigOptions = {}):
  ClusterConfig | undefined {
  const paths = path === undefined ? defaultPaths(env) : [path];
  if (paths.length === 0) return env['KUBERNETES_SERVICE_HOST'] ? inClusterConfig({ env }) : undefined;
  const document = mergeKubeconfigDocuments(
    paths.map((file) => readKubeconfigDocument(readText(file), { policy: 'trusted', path: file })),
  );
  const config = clusterConfigOf(document, { policy: 'trusted', ...(context !== undefined && { context }) });
  return withEnvironmentProxy(config, env);
}

/** Returns an empty list if there is no file. Skips missing files of `$KUBECONFIG`, like kubectl. */
function defaultPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  if (env['KUBECONFIG']) {
    const listed = [...new Set(env['KUBECONFIG'].split(delimiter).filter(Boolean))];
    const present = listed.filter((file) => existsSync(file));
    if (present.length > 0) return present;
    throw new KubeconfigError('there is no such file', { field: '$KUBECONFIG', path: listed.join(', ') });
  }
  const home = homeKubeconfig(env);
  return existsSync(home) ? [home] : [];
}

function homeKubeconfig(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env['HOME'] ?? homedir(), '.kube', 'config');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new KubeconfigError(missing ? 'there is no such file' : 'the file cannot be read', { path, cause });
  }
}
