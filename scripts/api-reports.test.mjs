import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiOf } from './api/reports.mjs';

describe('API reports', () => {
  let directory;

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'mcr-api-')), 'packages', 'sample');
    mkdirSync(join(directory, 'dist'), { recursive: true });
  });
  afterEach(() => rmSync(join(directory, '../..'), { recursive: true }));

  /** Describes a package with an entry point for each of the given declarations. */
  function apiFrom(declarations) {
    const entries = Object.entries(declarations).map(([name, text]) => {
      writeFileSync(join(directory, 'dist', `${name}.d.ts`), text);
      return [name === 'index' ? '.' : `./${name}`, { types: `./dist/${name}.d.ts` }];
    });
    const exports = { ...Object.fromEntries(entries), './package.json': './package.json' };
    const manifest = { name: '@mcr/sample', version: '1.0.0', type: 'module', exports };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    return apiOf({ directory, manifest }, []);
  }

  it('state the signatures of each entry point that exports something, without comments', () => {
    const { reports } = apiFrom({
      index: '/** Starts. */\nexport declare function start(port: number): void;',
      testing: 'export interface Clock { readonly now: number }',
      program: '#!/usr/bin/env node\n',
    });
    expect(reports.map(({ file }) => file)).toEqual(['index.api.md', 'testing.api.md']);
    expect(reports[0].text).toContain('\nexport function start(port: number): void;\n');
    for (const { text } of reports) expect(text).not.toMatch(/Starts|@public|undocumented|Documentation/u);
    expect(reports[1].text).toContain('\nexport interface Clock {');
  });

  it.each([
    ['of a parameter', 'export declare function start(port: Port): void;', ['Port (in start)']],
    ['of a base', 'export interface Server extends Port {}', ['Port (in Server)']],
    ['of a value', 'declare const port: { number: number };\nexport type Server = typeof port;', ['port (in Server)']],
    [
      'in a @throws tag',
      '/** @throws {PortError} if it is taken. */\nexport declare function start(): void;',
      ['PortError (in start)'],
    ],
    ['of a private member', 'export declare class Server { private port: Port }', []],
    ['of another entry point', 'import type { Clock } from "./testing.js";\nexport declare const clock: Clock;', []],
    ['of the language', '/** @throws {TypeError} always. */\nexport declare const ports: Promise<number>;', []],
  ])('list unexported types: %s', (_, signatures, unexported) => {
    const index = `${signatures}\ninterface Port {}\ndeclare class PortError extends Error {}\nexport {};`;
    expect(apiFrom({ index, testing: 'export interface Clock {}' }).unexported).toEqual(unexported);
  });
});
