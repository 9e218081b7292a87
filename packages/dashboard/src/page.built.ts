/*
 * The files of the page. This module runs when the package is built, and `dist` contains the values of its exports. In the
 * repository, it runs when it is imported.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = join(import.meta.dirname, 'page');
/** The program, because the module esbuild keeps a process that outlives this one. */
const esbuild = join(import.meta.dirname, '..', 'node_modules', '.bin', 'esbuild');
/** Browsers of the last two years. */
const TARGET = 'chrome120,firefox121,safari17.2';
/** Deadline of a bundle, in milliseconds. */
const DEADLINE = 60_000;

export const html: string = readFileSync(join(directory, 'index.html'), 'utf8');
export const icon: string = readFileSync(join(directory, 'icon.svg'), 'utf8');
export const script: string = bundled('main.ts');
export const style: string = bundled('page.css');

function bundled(file: string): string {
  const options = ['--bundle', '--minify', '--format=esm', `--target=${TARGET}`, '--charset=utf8', '--log-level=error'];
  return execFileSync(esbuild, [join(directory, file), ...options], { encoding: 'utf8', timeout: DEADLINE });
}
