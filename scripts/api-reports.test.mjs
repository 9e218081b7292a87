import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiReports } from './api/reports.mjs';

describe('API reports', () => {
  let directory;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mcr-package-'));
    mkdirSync(join(directory, 'dist'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Reports on a package with an entry point for each of the given declarations. */
  function reportsOn(declarations) {
    const entries = Object.entries(declarations).map(([name, text]) => {
      writeFileSync(join(directory, 'dist', `${name}.d.ts`), text);
      return [name === 'index' ? '.' : `./${name}`, { types: `./dist/${name}.d.ts` }];
    });
    const exports = { ...Object.fromEntries(entries), './package.json': './package.json' };
    const manifest = { name: '@mcr/sample', version: '1.0.0', type: 'module', exports };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    return apiReports({ directory, manifest });
  }

  it('state the signatures of each entry point that exports something, without comments', () => {
    const reports = reportsOn({
      index: '/** Starts. */\nexport declare function start(port: number): void;',
      testing: 'export interface Clock { readonly now: number }',
      program: '#!/usr/bin/env node\n',
    });
    expect(reports.map(({ file }) => file)).toEqual(['index.api.md', 'testing.api.md']);
    expect(reports[0].text).toContain('\nexport function start(port: number): void;\n');
    expect(reports[0].text).not.toContain('Starts.');
    expect(reports[1].text).toContain('\nexport interface Clock {');
  });

  it('name types of public signatures that no entry point exports', () => {
    const reports = reportsOn({
      index:
        "import type { Clock } from './testing.js';\ninterface Port {}\nexport declare function start(port: Port, clock: Clock): void;\nexport {};",
      testing: 'export interface Clock { readonly now: number }',
    });
    expect(reports.map(({ unexported }) => unexported)).toEqual([['Port'], []]);
  });
});
