import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { exportsOf, unexportedTypes } from './unexported-types.mjs';

const { compilerOptions } = JSON.parse(readFileSync(join(import.meta.dirname, '../../tsconfig.base.json'), 'utf8'));
/** Packages resolve to their built declarations, as they do for users. */
const options = { ...compilerOptions, customConditions: [] };

/** @typedef {Pick<import('../published-packages.mjs').PublishedPackage, 'directory' | 'manifest'>} BuiltPackage */

/**
 * Describes the public API of a built package.
 *
 * @param {BuiltPackage} entry
 * @param {readonly BuiltPackage[]} others packages that users of this package import from as well.
 * @returns {{ reports: { file: string, text: string }[], unexported: string[] }} a report for each entry point that
 *   exports something, and the types in it that users cannot import.
 */
export function apiOf({ directory, manifest }, others) {
  const scratch = mkdtempSync(join(tmpdir(), 'mcr-api-'));
  try {
    const entryPoints = entryPointsOf({ directory, manifest });
    const configs = Object.entries(entryPoints).map(([name, file]) => configOf(directory, { name, file, scratch }));
    const files = Object.values(entryPoints);
    const otherFiles = others.flatMap((other) => Object.values(entryPointsOf(other)));
    const compilerState = CompilerState.create(configs[0], { additionalEntryPoints: [...files, ...otherFiles] });
    const { program } = compilerState;
    const reports = configs
      .filter(({ mainEntryPointFilePath }) => exportsOf(program, mainEntryPointFilePath).length > 0)
      .map((config) => {
        Extractor.invoke(config, { compilerState, localBuild: true, messageCallback: ignore });
        return {
          file: config.reportConfigs[0].fileName,
          text: withoutMarks(readFileSync(config.reportFilePath, 'utf8')),
        };
      });
    return { reports, unexported: unexportedTypes(program, files, otherFiles) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The declarations of each entry point by its name: `index` for `.`, `testing` for `./testing`. */
function entryPointsOf({ directory, manifest }) {
  return Object.fromEntries(
    Object.entries(manifest.exports)
      .filter(([, { types }]) => types !== undefined)
      .map(([subpath, { types }]) => [
        subpath === '.' ? 'index' : subpath.slice('./'.length).replaceAll('/', '-'),
        join(directory, types),
      ]),
  );
}

function configOf(directory, { name, file, scratch }) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: directory,
      mainEntryPointFilePath: file,
      compiler: { overrideTsconfig: { compilerOptions: options, files: [file] } },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: scratch,
        reportTempFolder: join(scratch, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(directory, 'package.json'),
  });
}

/** Drops release tags and marks of missing comments, so that a report changes only with the signatures. */
function withoutMarks(report) {
  return report
    .replaceAll(/^ *\/\/ (?:@public(?: \(undocumented\))?|\(undocumented\)|\(No @packageDocumentation .*\))\n/gmu, '')
    .replaceAll(/ \/\/ \(undocumented\)$/gmu, '');
}

/** Drops what API Extractor reports about conventions that this repository does not use, for example release tags. */
function ignore(message) {
  message.handled = true;
}
