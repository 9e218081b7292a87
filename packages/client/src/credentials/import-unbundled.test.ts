import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { importUnbundled } from './import-unbundled.ts';

describe('importUnbundled', () => {
  it('imports an installed package', async () => {
    expect(await importUnbundled('@kubernetes/client-node')).toHaveProperty('KubeConfig');
  });

  it('names a package that is not installed', () => {
    expect(failureOf('@mcr/never-published')).toBe(
      'the package @mcr/never-published is not installed: install it next to the bundle',
    );
  });

  it('rethrows any other failure', () => {
    expect(failureOf('data:text/javascript,throw new RangeError("broken")')).toBe('broken');
  });
});

/** Returns the message of the error. Imports in a separate process, because Jest's module loader has other messages. */
function failureOf(specifier: string): string {
  const module = new URL('./import-unbundled.ts', import.meta.url).href;
  const program = `
    const { importUnbundled } = await import(${JSON.stringify(module)});
    await importUnbundled(${JSON.stringify(specifier)}).catch(({ message }) => console.log(message));
  `;
  const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, argv, { encoding: 'utf8' }).trim();
}
