import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMcr } from '../command/mcr-program.ts';

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  let out = '';
  const { signal } = new AbortController();
  const status = await runMcr(['__complete', ...words], {
    print: (text) => void (out += text),
    warn: () => {},
    signal,
  });
  expect(status).toBe(0);
  return out.trimEnd().split('\n');
}

/** Returns the candidates without their descriptions. */
async function values(...words: readonly string[]): Promise<readonly string[]> {
  return (await complete(...words)).map((line) => line.split('\t')[0] ?? '');
}

describe('completion', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-completion-'));
    const contexts = ['prod', 'test'].map((name) => ({ name, context: { cluster: 'a', user: 'a' } }));
    await writeFile(
      join(directory, 'config'),
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', contexts },
        clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1' } }],
        users: [{ name: 'a', user: { token: 'a' } }],
      }),
    );
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('WB-5: completes commands, with their summaries', async () => {
    expect(await complete('fl')).toEqual(['fleet\tshow and change the clusters of a manager', ':4']);
    expect(await values('fleet', '')).toEqual(['list', 'describe', 'watch', 'check', 'add', 'remove', 'help', ':4']);
    expect(await values('fleet', 'add', 'eu-1', '')).toEqual([':4']);
    expect(await values('fleet', 'describe', '--url', 'http://127.0.0.1:1', '')).toEqual([':4']);
    expect(await values('fleet', 'describe', '--url', 'not an address', '')).toEqual([':4']);
  });

  it('WB-5: completes options, choices, files and contexts', async () => {
    expect(await values('fleet', 'list', '--na')).toEqual(['--namespace', ':4']);
    expect(await values('fleet', 'list', '--output', '')).toEqual(['wide', 'name', 'json', 'yaml', ':4']);
    expect(await values('fleet', 'list', '-o', 'j')).toEqual(['json', ':4']);
    expect(await values('fleet', 'add', '--no-check', '')).toEqual([':4']);
    expect(await values('fleet', 'check', '--kubeconfig', '')).toEqual([':0']);
    expect(await values('types', '--out', 'sr')).toEqual([':0']);
    expect(await values('completion', 'z')).toEqual(['zsh', ':4']);
    expect(await values('fleet', 'list', '--', '-')).toEqual([':4']);
    expect(await values('fleet', 'list', '--output=j')).toEqual(['json', ':4']);
    expect(await values('fleet', '-n', 'a', '-o', 'y')).toEqual(['yaml', ':4']);
    expect(await values('fleet', '--sort')).toEqual(['--sort-by', ':4']);
    const config = join(directory, 'config');
    expect(await values('fleet', 'check', '--kubeconfig', config, '--context', 'p')).toEqual(['prod', ':4']);
    expect(await values('fleet', 'add', `--hub-kubeconfig=${config}`, '--hub-context=t')).toEqual(['test', ':4']);
    const before = process.env['KUBECONFIG'];
    try {
      process.env['KUBECONFIG'] = join(directory, 'config');
      expect(await values('fleet', 'check', '--context', '')).toEqual(['prod', 'test', ':4']);
      process.env['KUBECONFIG'] = join(directory, 'none');
      expect(await values('fleet', 'check', '--context', '')).toEqual([':4']);
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });

  it('WB-5: kubectl gets the same candidates from kubectl_complete-mcr', () => {
    const program = join(import.meta.dirname, '..', 'kubectl-complete.ts');
    const args = ['--conditions=@mcr/source', program, 'fleet', 'de'];
    const out = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(out).toBe('describe\tprint everything about one cluster, with its history\n:4\n');
  });

  it('WB-5: refuses another shell', async () => {
    let err = '';
    const { signal } = new AbortController();
    const output = { print: () => {}, warn: (text: string) => void (err += text), signal };
    expect(await runMcr(['completion', 'tcsh'], output)).toBe(2);
    expect(err).toContain('Allowed choices are bash, zsh, fish.');
  });
});
