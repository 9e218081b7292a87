import type { Command } from 'commander';
import { text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import type { SbomOptions } from './run-sbom.ts';

/** Adds `mcr sbom`. @param finish receives whether the file was written. */
export function addSbom(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  mcr
    .command('sbom')
    .summary('list the packages in a bundle as a CycloneDX SBOM')
    .description(
      'Writes a software bill of materials, in the format of CycloneDX 1.6: the packages whose code is in a bundle of esbuild,\n' +
        'and those that packages of mcr include. Equal bundles give equal files.',
    )
    .option('--meta <file>', 'metafile of esbuild (its option --metafile)', text, 'dist/meta.json')
    .option('--out <file>', 'file to write', text, 'dist/sbom.json')
    .action(async (options: SbomOptions) => {
      const { runSbom } = await import('./run-sbom.ts');
      await runSbom(options, output);
      finish(true);
    });
}
