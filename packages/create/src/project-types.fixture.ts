import { join } from 'node:path';
import ts from 'typescript';

/*
 * Checks the types of the projects in a directory. Prints the errors, and exits with 1 if there are any. Unlike tsc, it checks the
 * files of the projects only, and not the sources of the packages that they import.
 */

const [directory = ''] = process.argv.slice(2);
const config: unknown = ts.readConfigFile(join(directory, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config;
const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, directory);
const program = ts.createProgram(fileNames, options);
const files = fileNames.map((name) => program.getSourceFile(name));
const diagnostics = [
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
];
const host = {
  getCanonicalFileName: (name: string) => name,
  getCurrentDirectory: () => directory,
  getNewLine: () => '\n',
};
process.stdout.write(ts.formatDiagnostics(diagnostics, host));
if (diagnostics.length > 0 || files.length === 0) process.exitCode = 1;
