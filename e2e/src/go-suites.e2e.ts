import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { knownFailure, resultsTable, withResults } from './go-suites/results-table.ts';
import type { PackageResult } from './go-suites/run-package.ts';
import { copyModule, runPackage } from './go-suites/run-package.ts';
import { KNOWN_FAILURES, SUITES } from './go-suites/suites.ts';

const PROGRAM = join(import.meta.dirname, '../../packages/envtest/src/cli/mcr-envtest.ts');
const DOCUMENT = join(import.meta.dirname, '../../docs/envtest.md');

/** Deadline of one package: its first build can take minutes, and its tests, too. In milliseconds. */
const TIMEOUT = 40 * 60_000;

/** They need Go. With `write`, the results are written to the documentation. */
const mode = process.env['MCR_JUDGES'] ?? '';

(mode === '1' || mode === 'write' ? describe : describe.skip)('test suites of Go modules, unpatched', () => {
  const results: PackageResult[] = [];
  const copies = new Map<string, string>();
  let directory: string;
  let assets: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-go-suites-'));
    assets = join(directory, 'assets');
    execFileSync(process.execPath, ['--conditions=@mcr/source', PROGRAM, 'assets', assets]);
    for (const suites of SUITES) copies.set(suites.module, await copyModule(suites, directory));
  }, TIMEOUT);
  afterAll(async () => {
    const table = resultsTable(SUITES, results, KNOWN_FAILURES);
    process.stdout.write(`\n${table}\n`);
    if (mode === 'write') await writeFile(DOCUMENT, withResults(await readFile(DOCUMENT, 'utf8'), table));
    await rm(directory, { recursive: true, force: true });
  });

  const packages = SUITES.flatMap((suites) => suites.packages.map((name) => ({ suites, module: suites.module, name })));
  it.each(packages)(
    'K-31: $module/$name passes, except for known failures',
    async ({ suites, module, name }) => {
      const result = await runPackage(suites, name, { copy: copies.get(module) ?? '', assets });
      results.push(result);
      const unknown = result.failed.filter((test) => !knownFailure(result, test, KNOWN_FAILURES));
      if (unknown.length > 0) process.stderr.write(result.output.slice(-20_000));
      expect(unknown).toEqual([]);
      expect(result.passed + result.failed.length).toBeGreaterThan(0);
    },
    TIMEOUT,
  );
});
