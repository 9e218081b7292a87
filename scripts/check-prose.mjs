// Checks the wording of comments, messages, test titles and Markdown: node scripts/check-prose.mjs [PATH ...].
// Without a path it checks the repository.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { findProblems } from './prose/find-problems.mjs';

const root = join(import.meta.dirname, '..');
const FILES = '**/*.{ts,mjs,cjs,md}';
const OUTPUT = ['**/node_modules/**', '**/dist/**', '**/.mcr/**', 'site/**', 'packages/*/api/**', 'coverage/**'];
/** Holds the words that are refused. */
const RULES = 'scripts/prose/rules.mjs';

const args = process.argv.slice(2);
const paths = args.length > 0 ? args.map((path) => relative(root, path) || '.') : ['.'];
const missing = paths.filter((path) => !existsSync(join(root, path)));
for (const path of missing) console.error(`${path}: not found`);

const files = paths
  .filter((path) => !missing.includes(path))
  .flatMap((path) => {
    if (statSync(join(root, path)).isFile()) return path;
    return globSync(join(path, FILES), { cwd: root, exclude: OUTPUT });
  })
  .filter((file) => file !== RULES);

let count = 0;
for (const file of [...new Set(files)].sort()) {
  for (const { line, column, found, advice } of findProblems(file, readFileSync(join(root, file), 'utf8'))) {
    count += 1;
    console.error(`${file}:${line}:${column}: "${found}": ${advice}`);
  }
}
const counted = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
console.log(`prose of ${counted(files.length, 'file')}: ${count === 0 ? 'ok' : counted(count, 'problem')}`);
if (count + missing.length > 0) process.exitCode = 1;
