import type { Command } from 'commander';
import { kubeconfigOption, repeated, text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import type { TypesOptions } from './run-types.ts';

/** Adds `mcr types`. @param finish receives whether the modules are up to date. */
export function addTypes(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  const types = mcr
    .command('types')
    .summary('write TypeScript modules from CustomResourceDefinitions')
    .description(
      'Writes a TypeScript module for each kind and version, with a zod schema that equals the definition. ' +
        'Exits with 1 if --check finds modules that are out of date.',
    )
    .option(
      '--crd <path>',
      'file or directory with definitions in YAML or JSON; - reads standard input (default: reads --context); repeatable',
      repeated,
    )
    .option(
      '--context <name>',
      'read the definitions of this cluster, a context of the kubeconfig (default: reads --crd)',
      text,
    )
    .addOption(kubeconfigOption())
    .option(
      '--only <name>',
      'name or group of definitions to write, such as cert-manager.io (default: all); repeatable',
      repeated,
    )
    .requiredOption('--out <dir>', 'directory for the modules: <group>/<version>/<kind>.ts (required)', text)
    .option('--require-spec', 'declare that every object has a spec, also if the definition does not require it')
    .option('--check', 'write nothing, and fail if a module is out of date')
    .option('--force', 'overwrite files that the command did not write');
  types.action(async (options: TypesOptions) => {
    if (!options.crd && options.context === undefined)
      types.error("error: '--crd <path>' or '--context <name>' is required");
    if (options.kubeconfig !== undefined && options.context === undefined) {
      types.error("error: option '--kubeconfig <file>' needs option '--context <name>'");
    }
    // Loaded here, so that one command does not load the modules of another.
    const { runTypes } = await import('./run-types.ts');
    finish(await runTypes(options, output));
  });
}
