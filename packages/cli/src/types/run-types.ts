import { join } from 'node:path';
import { terminalText } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import { type KindModule, kindModules } from './module/kind-module.ts';
import { lineDifference } from './line-difference.ts';
import { readDefinitions } from './definitions/read-definitions.ts';
import { isOurs, readModule, writeModule } from './module-files.ts';

/** Options of `mcr types`. */
export interface TypesOptions {
  /** Files and directories. */
  readonly crd?: readonly string[];
  readonly context?: string;
  readonly kubeconfig?: string;
  /** Names and groups of definitions. */
  readonly only?: readonly string[];
  /** Directory of the modules. */
  readonly out: string;
  readonly requireSpec?: boolean;
  readonly check?: boolean;
  readonly force?: boolean;
}

/** `mcr types`: writes or checks the modules of definitions. @returns whether the modules are up to date. */
export async function runTypes(options: TypesOptions, output: Output): Promise<boolean> {
  const { crd: paths = [], context, kubeconfig, only = [], out: directory } = options;
  const { requireSpec = false, check = false, force = false } = options;
  const definitions = await readDefinitions({ paths, context, kubeconfig, only, signal: output.signal });
  const modules: KindModule[] = [];
  for (const definition of definitions) {
    output.signal.throwIfAborted();
    const found = kindModules(definition, { requireSpec });
    if (found.length === 0) output.warn(`warning: ${definition.name} has no served version\n`);
    for (const note of found.flatMap(({ notes }) => notes)) output.warn(`warning: ${terminalText(note)}\n`);
    modules.push(...found);
  }
  checkPaths(modules);
  return check
    ? checkModules(modules, directory, output)
    : writeModules(modules, { directory, isForced: force }, output);
}

/** File systems that ignore case would keep one file of two. */
function checkPaths(modules: readonly KindModule[]): void {
  const paths = modules.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) < index);
  if (twice !== undefined) {
    throw new Error(`two kinds would be written to ${twice}: select one with --only`);
  }
}

interface WriteOptions {
  readonly directory: string;
  readonly isForced: boolean;
}

async function writeModules(
  modules: readonly KindModule[],
  { directory, isForced }: WriteOptions,
  { print }: Output,
): Promise<boolean> {
  const files = await Promise.all(
    modules.map(async ({ path, text }) => ({
      file: join(directory, path),
      text,
      before: await readModule(directory, path),
    })),
  );
  // Nothing is written if the command did not write one of the files.
  const foreign = files.find(({ before }) => before !== undefined && !isOurs(before) && !isForced);
  if (foreign) {
    throw new Error(`--out: ${foreign.file} was not written by mcr types: move it, or set --force to overwrite it`);
  }
  for (const { file, text, before } of files) {
    if (before !== text) await writeModule(file, text);
    print(`${before === text ? 'unchanged' : before === undefined ? 'created' : 'updated'} ${file}\n`);
  }
  return true;
}

async function checkModules(
  modules: readonly KindModule[],
  directory: string,
  { print, warn }: Output,
): Promise<boolean> {
  let outdated = 0;
  for (const { path, text } of modules) {
    const file = join(directory, path);
    const before = await readModule(directory, path);
    if (before === text) continue;
    outdated += 1;
    print(before === undefined ? `missing ${file}\n` : `out of date ${file}\n${lineDifference(before, text)}`);
  }
  const count = modules.length;
  if (outdated === 0) print(`${count} ${count === 1 ? 'module is' : 'modules are'} up to date\n`);
  else
    warn(
      `mcr: ${outdated} of ${count} modules ${outdated === 1 ? 'is' : 'are'} out of date: run mcr types without --check\n`,
    );
  return outdated === 0;
}
