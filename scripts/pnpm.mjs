// Uses the pnpm that runs this script, otherwise the pinned release.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';

const { packageManager } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));

/** @returns {[file: string, ...args: string[]]} the command that runs `pnpm <args>`. */
export function pnpm(...args) {
  const running = process.env.npm_execpath ?? '';
  if (/^pnpm\.[cm]?js$/u.test(basename(running))) return [process.execPath, running, ...args];
  return ['npx', '--yes', packageManager, ...args];
}
