import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { runMcr } from './mcr-program.ts';

async function run(argv: readonly string[]): Promise<{ status: number; text: string }> {
  let text = '';
  const print = (part: string): void => void (text += part);
  const { signal } = new AbortController();
  const status = await runMcr(argv, { print, warn: print, signal });
  return { status, text };
}

describe('arguments of mcr', () => {
  it('WB-4: prints the help of the program, of a group, and of a command', async () => {
    for (const argv of [[], ['--help'], ['-h'], ['help']]) {
      const { status, text } = await run(argv);
      expect(text).toMatch(/^Usage: mcr .*\n {2}types .* {2}write TypeScript modules/s);
      expect(status).toBe(0);
    }
    const group = await run(['webhooks', '--help']);
    expect(group.text).toContain('remove webhook configurations of a manager');
    expect(group.text).not.toContain('types');
    const command = await run(['webhooks', 'remove', '--name', 'a', '--help']);
    expect(command.text).toMatch(/--timeout <seconds> +deadline for each cluster \(default: 30\)/);
  });

  it('WB-4: prints the version of its package', async () => {
    const manifest = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    expect(await run(['--version'])).toEqual({ status: 0, text: `${version}\n` });
  });

  it.each([
    [['type'], "mcr: unknown command 'type'\n(Did you mean types?)\n"],
    [['serve'], "mcr: unknown command 'serve'\n"],
    [['webhooks'], 'Usage: mcr webhooks'],
    [['types', '--cdr', 'a', '--out', 'b'], "mcr: unknown option '--cdr'\n(Did you mean --crd?)\n"],
    [['types', 'a.yaml', '--crd', 'a', '--out', 'b'], "mcr: too many arguments for 'types'"],
    [['types', '--crd'], "mcr: option '--crd <path>' argument missing\n"],
    [['types', '--crd', '--check'], "mcr: option '--crd <path>' argument '--check' is invalid. expected a value\n"],
    [['types', '--out='], "mcr: option '--out <dir>' argument '' is invalid. expected a value\n"],
    [['types', '--check=yes', '--crd', 'a', '--out', 'b'], "mcr: option '--check' takes no value\n"],
    [['types', '--out', 'a'], "mcr: '--crd <path>' or '--context <name>' is required\n"],
    [['types', '--crd', 'a'], "mcr: required option '--out <dir>' not specified\n"],
    [
      ['types', '--crd', 'a', '--out', 'b', '--kubeconfig', 'c'],
      "mcr: option '--kubeconfig <file>' needs option '--context <name>'\n",
    ],
    [['webhooks', 'remove'], "mcr: '--name <name>' or '--all' is required\n"],
    [
      ['webhooks', 'remove', '--name', 'a', '--all'],
      "mcr: option '--all' cannot be used with option '--name <name>'\n",
    ],
    [
      ['webhooks', 'remove', '--all', '--context', 'a', '--all-contexts'],
      "mcr: option '--all-contexts' cannot be used with option '--context <name>'\n",
    ],
    [
      ['webhooks', 'remove', '--all', '--timeout', 'soon'],
      "mcr: option '--timeout <seconds>' argument 'soon' is invalid. expected whole seconds from 1 to 3600\n",
    ],
  ])('WB-4: refuses %j', async (argv, message) => {
    const { status, text } = await run(argv);
    expect(text.slice(0, message.length)).toBe(message);
    expect(status).toBe(2);
  });
});
