import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Suites } from './suites.ts';

const execute = promisify(execFile);

/** Deadlines of a build and of the tests of one package, in milliseconds. */
const BUILD_TIMEOUT = 20 * 60_000;
const RUN_TIMEOUT = 15 * 60_000;

/** Maximum size of the output of a command, in bytes. */
const OUTPUT_LIMIT = 256 * 1024 * 1024;

/** Results of the tests of one package. */
export interface PackageResult {
  readonly module: string;
  readonly package: string;
  readonly passed: number;
  /** Names of the tests that failed. */
  readonly failed: readonly string[];
  readonly skipped: number;
  /** Output of the tests. */
  readonly output: string;
}

const downloadSchema = z.looseObject({ Dir: z.string() });

const reportSchema = z.array(
  z.looseObject({
    SpecReports: z
      .array(
        z.looseObject({
          ContainerHierarchyTexts: z.array(z.string()).nullable(),
          LeafNodeText: z.string(),
          LeafNodeType: z.string(),
          State: z.string(),
        }),
      )
      .nullable(),
  }),
);

/** Copies a module from the module cache, which is read-only, to a directory. Its zip has the tests. */
export async function copyModule({ module, version }: Suites, directory: string): Promise<string> {
  const argv = ['mod', 'download', '-json', `${module}@${version}`];
  const { stdout } = await execute('go', argv, { cwd: directory, timeout: BUILD_TIMEOUT });
  const copy = join(directory, module.replaceAll('/', '_'));
  await cp(downloadSchema.parse(JSON.parse(stdout)).Dir, copy, { recursive: true });
  for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
    // Zips of modules do not keep the permission to execute.
    const isProgram = entry.isDirectory() || entry.name.endsWith('.sh');
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
  await chmod(copy, 0o755);
  return copy;
}

/** Builds the tests of a package and runs them in its directory. */
export async function runPackage(
  { module }: Suites,
  name: string,
  { copy, assets }: { readonly copy: string; readonly assets: string },
): Promise<PackageResult> {
  const bin = join(copy, '..', 'bin', module.replaceAll('/', '_'));
  await mkdir(bin, { recursive: true });
  const program = join(bin, `${name.replaceAll('/', '_')}.test`);
  await execute('go', ['test', '-c', '-o', program, `./${name}`], { cwd: copy, timeout: BUILD_TIMEOUT });
  const cwd = join(copy, name);
  const report = `${program}.json`;
  const suites = suitesOf(await filesOf(cwd));
  const usesGinkgo = suites.size > 0;
  const argv = ['-test.v', ...(usesGinkgo ? [`-ginkgo.json-report=${report}`, '-ginkgo.no-color'] : [])];
  const files = join(copy, '..', 'files');
  await mkdir(files, { recursive: true });
  const output = await outputOf(program, argv, {
    cwd,
    env: { ...process.env, KUBEBUILDER_ASSETS: assets, TMPDIR: files },
  });
  await endPrograms(files);
  const specs = usesGinkgo ? await specsOf(report) : [];
  const results = [...specs, ...testsOf(output, suites)];
  const failed = results.filter(({ state }) => state === 'failed').map((result) => result.name);
  // A program that ends early, as after a panic, has no results of the tests that did not run.
  if (!/^(?:PASS|FAIL)$/m.test(output)) failed.push('the test program ended early');
  return {
    module,
    package: name,
    passed: results.filter(({ state }) => state === 'passed').length,
    failed,
    skipped: results.filter(({ state }) => state === 'skipped').length,
    output,
  };
}

interface TestResult {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
}

async function filesOf(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('_test.go'));
  return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
}

async function outputOf(program: string, argv: readonly string[], options: object): Promise<string> {
  const limits = { timeout: RUN_TIMEOUT, maxBuffer: OUTPUT_LIMIT };
  try {
    const { stdout, stderr } = await execute(program, argv, { ...options, ...limits, encoding: 'utf8' });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return stdout + stderr;
  }
}

/**
 * Ends the API servers that tests left behind: some start an envtest that they never stop. Each is in a process group of its
 * own; its command line names a directory among the temporary files of the tests.
 */
async function endPrograms(files: string): Promise<void> {
  const { stdout } = await execute('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: OUTPUT_LIMIT });
  for (const [, pid, command = ''] of stdout.matchAll(/^ *(\d+) (.*)$/gm)) {
    if (command.includes(`=${files}/`)) end(Number(pid));
  }
}

function end(pid: number): void {
  try {
    process.kill(pid);
  } catch (error) {
    const hasEnded = (error as { readonly code?: unknown }).code === 'ESRCH';
    if (!hasEnded) throw error;
  }
}

/** Returns the results of the specs of Ginkgo. A failed setup counts as a failed spec. */
async function specsOf(report: string): Promise<TestResult[]> {
  const text = await readFile(report, 'utf8').catch(() => '[]');
  return reportSchema.parse(JSON.parse(text)).flatMap(({ SpecReports: specs }) =>
    (specs ?? []).flatMap(({ ContainerHierarchyTexts: path, LeafNodeText: leaf, LeafNodeType: type, State }) => {
      const state = State === 'passed' ? 'passed' : ['pending', 'skipped'].includes(State) ? 'skipped' : 'failed';
      if (type !== 'It' && state !== 'failed') return [];
      return [{ name: [...(path ?? []), leaf || type].join(' '), state } as const];
    }),
  );
}

/** Returns the names of the tests that run the specs of Ginkgo. */
function suitesOf(files: readonly string[]): ReadonlySet<string> {
  const calls = files.flatMap((text) => [...text.matchAll(/^func (Test\w+)\(.*\{\n(?:.*\n){0,10}?\s+.*RunSpecs\(/gm)]);
  return new Set(calls.map(([, name = '']) => name));
}

/** Returns the results of tests that are not suites of Ginkgo. */
function testsOf(output: string, suites: ReadonlySet<string>): TestResult[] {
  return [...output.matchAll(/^--- (PASS|FAIL|SKIP): (\S+)/gm)].flatMap(([, word = '', name = '']) => {
    if (suites.has(name)) return [];
    const state = word === 'PASS' ? 'passed' : word === 'SKIP' ? 'skipped' : 'failed';
    return [{ name, state } as const];
  });
}
