import process from 'node:process';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removedExports } from './api/removed-exports.mjs';

const DAY = 24 * 60 * 60 * 1_000;
const now = Date.parse('2027-06-01T00:00:00Z');
const entry = { name: '@mcr/core', path: 'packages/core' };

describe('the notice before an export is removed', () => {
  let repository;
  beforeEach(() => {
    repository = mkdtempSync(join(tmpdir(), 'mcr-removed-'));
    execFileSync('git', ['init', '--quiet'], { cwd: repository });
    mkdirSync(join(repository, 'packages/core/api'), { recursive: true });
  });
  afterEach(() => rmSync(repository, { recursive: true }));

  function report(...lines) {
    writeFileSync(join(repository, 'packages/core/api/index.api.md'), ['```ts', ...lines, '```', ''].join('\n\n'));
  }

  function commit(daysAgo, version) {
    const date = new Date(now - daysAgo * DAY).toISOString();
    const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
    const env = { ...process.env, ...person, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    const run = (...args) => execFileSync('git', args, { cwd: repository, env });
    run('add', '.');
    run('commit', '--quiet', '--allow-empty', '--message', 'chore: publish');
    if (version !== undefined) run('tag', `@mcr/core@${version}`);
  }

  it('a package without a release has no removed exports', () => {
    report('export interface Fleet {}');
    commit(1);
    report();
    expect(removedExports(repository, entry, now)).toEqual([]);
  });

  it('an export that was never deprecated must stay, in each form of an export', () => {
    report('export interface Fleet {}', 'export function engage(): void;', 'export { Kind }', 'export { Y as Z }');
    commit(200, '0.1.0');
    report('export type Fleet = {};');
    expect(removedExports(repository, entry, now)).toEqual(['index: engage', 'index: Kind', 'index: Z']);
  });

  it.each([
    [89, ['index: engage']],
    [90, []],
  ])('an export that a release of %s days ago deprecated: %j must stay', (days, expected) => {
    report('export function engage(): void;');
    commit(200, '0.1.0');
    report('// @public @deprecated\nexport function engage(): void;');
    commit(days, '0.2.0');
    commit(1, '0.2.1');
    report();
    expect(removedExports(repository, entry, now)).toEqual(expected);
  });
});
