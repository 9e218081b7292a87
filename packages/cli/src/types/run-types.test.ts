import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMcr } from '../command/mcr-program.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ARGV = ['--conditions=@mcr/source', join(import.meta.dirname, '..', 'mcr.ts')];

const definition = (kind: string, spec: string, apiVersion = 'apiextensions.k8s.io/v1'): string => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = `{ openAPIV3Schema: { type: object, properties: { spec: ${spec} } } }`;
  return [
    `apiVersion: ${apiVersion}`,
    'kind: CustomResourceDefinition',
    `metadata: { name: ${plural}.example.com }`,
    `spec: { group: example.com, scope: Namespaced, names: { kind: ${kind}, plural: ${plural} }, versions: [{ name: v1, served: true, storage: true, schema: ${schema} }] }`,
    '',
  ].join('\n');
};

const CART = definition('Cart', '{ type: object, properties: { size: { type: integer } } }');

describe('mcr types', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-types-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** Runs the command in this process, in which it takes less time. */
  const run = async (args: readonly string[]) => {
    const texts = { stdout: '', stderr: '' };
    const { signal } = new AbortController();
    const print = (text: string): void => void (texts.stdout += text);
    const warn = (text: string): void => void (texts.stderr += text);
    const paths = args.map((word) => (word.startsWith('--') || word.includes('.com') ? word : join(directory, word)));
    const status = await runMcr(['types', ...paths], { print, warn, signal });
    return { status, ...texts };
  };
  const spawn = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [...ARGV, 'types', ...args], { encoding: 'utf8', input, cwd: directory });
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(directory, name), text);
    return name;
  };

  it('KS-6: writes modules, says what changed, and overwrites its own files only', async () => {
    const file = await write('cart.yaml', `${CART}---\nkind: ConfigMap\n`);
    const path = join('out', 'example.com', 'v1', 'cart.ts');
    const shown = join(directory, path);
    expect(await run(['--crd', file, '--out', 'out'])).toMatchObject({
      status: 0,
      stdout: `created ${shown}\n`,
      stderr: '',
    });
    expect(await run(['--crd', file, '--out', 'out', '--check'])).toMatchObject({
      status: 0,
      stdout: '1 module is up to date\n',
    });
    const text = await readFile(join(directory, path), 'utf8');
    await write(path, text.replace('k8s.integer()', 'z.string()'));
    const outdated = await run(['--crd', file, '--out', 'out', '--check']);
    expect(outdated.status).toBe(1);
    expect(outdated.stderr).toContain('1 of 1 modules is out of date');
    expect(outdated.stdout).toMatch(
      /^out of date .*cart\.ts\n {2}@@ line \d+ @@\n {2}- {2}size: z\.string\(\)\.optional\(\),\n {2}\+ {2}size: k8s\.integer\(\)\.optional\(\),\n$/,
    );
    await write(path, 'export const mine = 1;\n');
    const foreign = await run(['--crd', file, '--out', 'out']);
    expect(foreign).toMatchObject({ status: 1, stdout: '' });
    expect(foreign.stderr).toContain(`--out: ${shown} was not written by mcr types: move it, or set --force`);
    expect(await run(['--crd', file, '--out', 'out', '--force'])).toMatchObject({
      status: 0,
      stdout: `updated ${shown}\n`,
    });
    expect(await readdir(join(directory, 'out', 'example.com', 'v1'))).toEqual(['cart.ts']);
  });

  it('KS-6: names the file, the document and the field of an error', async () => {
    const old = await write('old.yaml', `---\n${CART}---\n${definition('Old', '{}', 'apiextensions.k8s.io/v1beta1')}`);
    const keyword = await write('keyword.yaml', definition('Cart', '{ type: object, $ref: a }'));
    await mkdir(join(directory, 'none'), { recursive: true });
    const refused: [args: string[], message: RegExp][] = [
      [['--crd', old], /old\.yaml, document 2: apiVersion: expected apiextensions\.k8s\.io\/v1, found "apiext/],
      [
        ['--crd', keyword],
        /keyword\.yaml: spec\.versions\[0\]\.schema\.openAPIV3Schema\.properties\.spec\.\$ref: not a keyword/,
      ],
      [['--crd', 'none'], /--crd: .*none: no CustomResourceDefinition found; subdirectories are not read/],
      [['--crd', 'absent.yaml'], /--crd: .*absent\.yaml: no such file or directory/],
      [['--crd', 'cart.yaml', '--only', 'other.com'], /--only: no CustomResourceDefinition other\.com found/],
    ];
    for (const [args, message] of refused) {
      const { status, stderr } = await run([...args, '--out', 'refused']);
      expect(stderr).toMatch(message);
      expect(status).toBe(1);
    }
  });

  it('WB-4: exits with 2 for wrong arguments, and is quiet if the reader of its output has gone', () => {
    expect(spawn(['--crd', '-', '--out', 'refused'], 'a: [').stderr).toMatch(/--crd: standard input: not valid YAML/);
    expect(spawn(['--cdr', 'a', '--out', 'b'])).toMatchObject({
      status: 2,
      stderr: "mcr: unknown option '--cdr'\n(Did you mean --crd?)\n",
    });
    const command = [process.execPath, ...ARGV, '--help'].map((word) => `'${word}'`).join(' ');
    const { status, stderr } = spawnSync('sh', ['-c', `${command} | true`], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
