import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type ClusterConfig, loadKubeconfig } from '@mcr/core';
import { parseKubeconfigContexts } from '@mcr/core/provider';

/** Contexts of kubeconfig files. */
export interface ContextOptions {
  /** Default: the files of `$KUBECONFIG`, else `~/.kube/config`. */
  readonly kubeconfig: string | undefined;
  /** Names of contexts; none for the current one. */
  readonly names: readonly string[] | 'all';
}

/** A context, and its config or the reason why it has none. */
export type ContextEntry = readonly [name: string, config: ClusterConfig | Error];

/** Returns the config of each context. A context that is not valid does not affect the others. @throws {Error} if a file is not valid. */
export function contextsOf({ kubeconfig, names }: ContextOptions): ContextEntry[] {
  const path = kubeconfig === undefined ? {} : { path: kubeconfig };
  if (names === 'all') return contextNames(kubeconfig).map((context) => [context, configOf({ ...path, context })]);
  if (names.length === 0) return [['current context', configOf(path)]];
  return [...new Set(names)].map((context) => [context, configOf({ ...path, context })]);
}

function configOf(options: { readonly path?: string; readonly context?: string }): ClusterConfig | Error {
  try {
    return loadKubeconfig(options);
  } catch (error) {
    return error as Error;
  }
}

/** Returns the names of all contexts. @throws {Error} if a file is not valid, or if there is none. */
export function contextNames(kubeconfig?: string): string[] {
  const listed = process.env['KUBECONFIG']?.split(delimiter).filter(Boolean) ?? [];
  const defaults = listed.length > 0 ? listed : [join(process.env['HOME'] ?? homedir(), '.kube', 'config')];
  const files = kubeconfig === undefined ? defaults.filter((file) => existsSync(file)) : [kubeconfig];
  if (files.length === 0)
    throw new Error(`--all-contexts: no kubeconfig found in ${defaults.join(', ')}: set --kubeconfig`);
  const names = files.flatMap((path) => [
    ...parseKubeconfigContexts(readText(path), { policy: 'trusted', path }).keys(),
  ]);
  return [...new Set(names)];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`--kubeconfig: ${path}: ${(cause as Error).message}`, { cause });
  }
}
