import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const { compilerOptions } = JSON.parse(readFileSync(join(import.meta.dirname, '../../tsconfig.base.json'), 'utf8'));
/** Packages resolve to their built declarations, as they do for users. */
const options = { ...compilerOptions, customConditions: [] };
/** The suffix of a declaration that shares its name with another one or with a global. */
const RENAMED = /[$_]\d+$/u;

/**
 * @typedef {object} Report The public API of an entry point.
 * @property {string} file File name of the report.
 * @property {string} text
 * @property {readonly string[]} unexported Types in public signatures that no entry point of the package exports.
 */

/**
 * Describes each entry point of a built package that exports something.
 *
 * @param {Pick<import("../published-packages.mjs").PublishedPackage, "directory" | "manifest">} entry
 * @returns {Report[]}
 */
export function apiReports({ directory, manifest }) {
  const scratch = mkdtempSync(join(tmpdir(), 'mcr-api-'));
  try {
    const configs = Object.entries(manifest.exports)
      .filter(([, { types }]) => types !== undefined)
      .map(([subpath, { types }]) => configOf(directory, join(directory, types), nameOf(subpath), scratch));
    const [{ mainEntryPointFilePath: main }, ...others] = configs;
    const compilerState = CompilerState.create(configs[0], {
      additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
    });
    const namesOf = (file) => exportedNames(compilerState.program, file);
    const importable = new Set([main, ...others.map((each) => each.mainEntryPointFilePath)].flatMap(namesOf));
    return configs
      .filter(({ mainEntryPointFilePath }) => namesOf(mainEntryPointFilePath).length > 0)
      .map((config) => {
        const unexported = extract(config, compilerState).filter((name) => !importable.has(name));
        const text = readFileSync(config.reportFilePath, 'utf8');
        return { file: config.reportConfigs[0].fileName, text, unexported };
      });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The file name of a report without its ending: `index` for `.`, `testing` for `./testing`. */
function nameOf(subpath) {
  return subpath === '.' ? 'index' : subpath.slice('./'.length).replaceAll('/', '-');
}

function configOf(directory, entryPoint, name, scratch) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: directory,
      mainEntryPointFilePath: entryPoint,
      compiler: { overrideTsconfig: { compilerOptions: options, files: [entryPoint] } },
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

function exportedNames(program, file) {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  return module ? checker.getExportsOfModule(module).map(({ name }) => name) : [];
}

/** Writes the report and returns the names of the types that the entry point uses and does not export. */
function extract(config, compilerState) {
  const unexported = [];
  Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      if (message.messageId === 'ae-forgotten-export') {
        unexported.push(/"(.+?)"/u.exec(message.text)[1].replace(RENAMED, ''));
      }
      message.handled = true;
    },
  });
  return unexported;
}
