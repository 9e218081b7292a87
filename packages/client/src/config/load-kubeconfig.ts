import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { anyValue } from '../options/any-value.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { clusterConfigOf } from './kubeconfig.ts';
import { mergeKubeconfigDocuments, readKubeconfigDocument } from './kubeconfig-document.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

/** Options of {@link loadKubeconfig}. */
export interface LoadKubeconfigOptions {
  /** Path of the kubeconfig. Default: the files of `$KUBECONFIG`, else `~/.kube/config`, else the in-cluster config. */
  readonly path?: string;
  /** Name of the context. Default: the kubeconfig's `current-context`. */
  readonly context?: string;
  /** Environment variables. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const schema = z.strictObject({ path: anyValue, context: anyValue, env: anyValue } satisfies Record<
  keyof LoadKubeconfigOptions,
  z.ZodType
>);

/**
 * Loads the config that kubectl would use: see {@link LoadKubeconfigOptions.path}. If the kubeconfig has no proxy, the
 * proxy of `HTTPS_PROXY` is used unless `NO_PROXY` lists the server.
 *
 * @throws {TypeError} if the options are not an object, or an option is unknown.
 * @throws {KubeconfigError} if no kubeconfig is found or it is not valid; the message names the file and the field.
 */
export function loadKubeconfig(options: LoadKubeconfigOptions = {}): ClusterConfig {
  parseOptions('loadKubeconfig', schema, options, '{ path }');
  const found = findKubeconfig(options);
  if (found) return found;
  const home = homeKubeconfig(options.env);
  throw new KubeconfigError(`not found: set $KUBECONFIG, write ${home}, or run in a pod with a service account`);
}

/**
 * Like {@link loadKubeconfig}, but returns `undefined` if there is no `$KUBECONFIG`, no `~/.kube/config`, and the
 * process does not run in a pod.
 *
 * @throws {KubeconfigError} if all files of `$KUBECONFIG` are missing, or a file is not valid; the message names the
 * file and the field.
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
    throw new KubeconfigError('file not found', { field: '$KUBECONFIG', path: listed.join(', ') });
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
    throw new KubeconfigError(missing ? 'file not found' : 'the file cannot be read', { path, cause });
  }
}
