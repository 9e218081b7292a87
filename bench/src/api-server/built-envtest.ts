import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const built = new URL('../../../packages/envtest/dist/index.js', import.meta.url);

/**
 * Runs a program with the built package, as users have it, in a process of its own.
 *
 * @param program statements of a module, in which `envtest` is the package. It prints its result as JSON.
 */
export async function runBuilt<T>(program: string): Promise<T> {
  if (!existsSync(built)) {
    throw new Error(`${fileURLToPath(built)} not found: the built package is measured: run \`pnpm build\` first`);
  }
  const text = `import * as envtest from ${JSON.stringify(built.href)};\n${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text]);
  return JSON.parse(stdout) as T;
}
