import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMcr } from '../command/mcr-program.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

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

  it.each([
    ['required: 5', 'required: expected a list of strings, found a number'],
    ['required: abc', 'required: expected a list of strings, found a string'],
    ['properties: { a: { enum: abc } }', 'properties.a.enum: expected a list, found a string'],
    ['properties: { a: { pattern: 5 } }', 'properties.a.pattern: expected a string, found a number'],
    ['properties: [a]', 'properties: expected an object, found an array'],
    ['description: { a: b }', 'description: expected a string, found an object'],
    ['allOf: {}', 'allOf: expected a list, found an object'],
    ['nullable: "yes"', 'nullable: expected a boolean, found a string'],
  ])('KS-6: refuses a schema with %s, and names the field', async (keyword, message) => {
    const file = await write('wrong.yaml', definition('Cart', `{ type: object, ${keyword} }`));
    const { status, stderr } = await run(['--crd', file, '--out', 'refused']);
    expect(stderr).toContain(`wrong.yaml: spec.versions[0].schema.openAPIV3Schema.properties.spec.${message}\n`);
    expect(status).toBe(1);
  });

  it('KS-6: refuses a version that occurs twice', async () => {
    const [version = ''] = /\{ name: v1.*\}(?=\] \})/.exec(CART) ?? [];
    const file = await write('twice.yaml', CART.replace(version, `${version}, ${version}`));
    const { stderr } = await run(['--crd', file, '--out', 'refused']);
    expect(stderr).toContain('spec.versions: expected versions with different names\n');
  });

  it('WB-4: shows no control character of a definition, and at most 4 KiB of a failure', async () => {
    const hostile = String.raw`"\e]0;a\e[2J"`;
    const columns = `additionalPrinterColumns: [{ name: ${hostile}, type: a, jsonPath: .spec }], `;
    const noted = await write('column.yaml', CART.replace('storage: true, ', `storage: true, ${columns}`));
    const keyword = await write('keyword.yaml', definition('Cart', `{ ${hostile}: 1 }`));
    for (const file of [noted, keyword]) {
      const { stderr } = await run(['--crd', file, '--out', `out-${file}`]);
      expect(stderr).toContain(String.raw`\u001b]0;a\u001b[2J`);
      expect(stderr).toMatch(/^[\x20-\x7e]+\n$/);
    }
    const json = JSON.stringify(parse(definition('Cart', '{ LONG: 1 }'))).replace('LONG', 'a'.repeat(10_000));
    const { stderr } = await run(['--crd', await write('long.json', json), '--out', 'refused']);
    expect(stderr).toMatch(/properties\.spec\.a{3000,4000}…\n$/);
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
