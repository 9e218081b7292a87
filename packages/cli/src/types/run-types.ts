import { terminalText } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import { checkFiles, type GeneratedFiles, writeFiles } from '../files/generated-files.ts';
import { type KindModule, kindModules, MARKER } from './module/kind-module.ts';
import { readDefinitions } from './definitions/read-definitions.ts';

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
  const files: GeneratedFiles = {
    command: 'mcr types',
    nouns: ['module', 'modules'],
    marker: MARKER,
    directory,
    files: modules,
  };
  if (check) return checkFiles(files, output);
  await writeFiles(files, { isForced: force }, output);
  return true;
}

/** File systems that ignore case would keep one file of two. */
function checkPaths(modules: readonly KindModule[]): void {
  const paths = modules.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) < index);
  if (twice !== undefined) {
    throw new Error(`two kinds would be written to ${twice}: select one with --only`);
  }
}
