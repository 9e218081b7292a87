import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { importUnbundled } from './import-unbundled.ts';

describe('importUnbundled', () => {
  it('imports what is installed', async () => {
    expect(await importUnbundled('@kubernetes/client-node')).toHaveProperty('KubeConfig');
  });

  it('says what to install when it is missing', () => {
    expect(failureOf('@mcr/never-published')).toBe(
      'the package @mcr/never-published is not installed: install it beside the bundle',
    );
  });

  it('passes on any other failure', () => {
    expect(failureOf('data:text/javascript,throw new RangeError("broken")')).toBe('broken');
  });
});

/** The message of the error, in a process of its own: the module loader of Jest has other ones. */
function failureOf(specifier: string): string {
  const module = new URL('./import-unbundled.ts', import.meta.url).href;
  const program = `
    const { importUnbundled } = await import(${JSON.stringify(module)});
    await importUnbundled(${JSON.stringify(specifier)}).catch(({ message }) => console.log(message));
  `;
  const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, argv, { encoding: 'utf8' }).trim();
}
