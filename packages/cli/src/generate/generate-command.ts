import type { Command } from 'commander';
import { secondsOf, text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import { configOption } from '../project/config-option.ts';
import type { GenerateOptions } from './run-generate.ts';

/** Default deadline, in seconds. */
const TIMEOUT = 30;

/** Adds `mcr generate`. @param finish receives whether the manifests are up to date. */
export function addGenerate(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  mcr
    .command('generate')
    .summary('write the manifests of a program: CRDs, RBAC, Deployment, chart')
    .description(
      'Writes the manifests of the program that mcr.config.ts describes: a kustomize base, roles for members, and a Helm chart. ' +
        'The roles have the permissions that the code declares. Nothing is started, and no cluster is needed. ' +
        'Exits with 1 if --check finds files that are out of date.',
    )
    .addOption(configOption())
    .option('--out <dir>', 'directory for the manifests', text, 'deploy')
    .option('--check', 'write nothing, and fail if a file is out of date')
    .option('--force', 'overwrite files that the command did not write')
    .option('--timeout <seconds>', 'deadline for manager(), and for setup()', secondsOf, TIMEOUT)
    .action(async (options: GenerateOptions) => {
      const { runGenerate } = await import('./run-generate.ts');
      finish(await runGenerate(options, output));
    });
}
