import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMcr } from '../command/mcr-program.ts';
import { describeConfig } from '../project/describe-project.ts';
import { generate } from './run-generate.ts';
import shop from './shop.fixture.ts';

const SHOP = join(import.meta.dirname, 'shop.fixture.ts');
const setup = (body: string) => `export default { name: 'a', manager: () => ({}), setup: async () => { ${body} } };`;

describe('mcr generate', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-generate-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const run = async (...args: string[]) => {
    const texts = { stdout: '', stderr: '' };
    const { signal } = new AbortController();
    const print = (text: string): void => void (texts.stdout += text.replaceAll(directory, ''));
    const warn = (text: string): void => void (texts.stderr += text.replaceAll(directory, ''));
    const status = await runMcr(['generate', ...args], { print, warn, signal });
    return { status, ...texts };
  };
  const config = async (text: string): Promise<string> => {
    const file = join(await mkdtemp(join(directory, 'config-')), 'mcr.config.ts');
    await writeFile(file, text);
    return file;
  };
  const read = (...path: string[]) => readFile(join(directory, ...path), 'utf8');

  /** Writes or checks the manifests of the fixture, without another process. */
  const generated = async (name: string, options: { readonly check?: boolean } = {}) => {
    const texts = { stdout: '', stderr: '' };
    const print = (text: string): void => void (texts.stdout += text.replaceAll(directory, ''));
    const warn = (text: string): void => void (texts.stderr += text.replaceAll(directory, ''));
    const { signal } = new AbortController();
    const project = await describeConfig(SHOP, shop);
    const isCurrent = await generate(project, { out: join(directory, name), ...options }, { print, warn, signal });
    return { isCurrent, ...texts };
  };

  it('WB-3: writes a base, members, monitoring and a chart', async () => {
    const { status, stdout, stderr } = await run('--config', SHOP, '--out', join(directory, 'shop'));
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual(
      [
        ...['namespace', 'rbac', 'deployment', 'network', 'kustomization'].map((file) => `base/${file}`),
        ...['crds/shops.shop.example.com', 'rbac', 'kustomization'].map((file) => `members/${file}`),
        ...['service-monitor', 'kustomization'].map((file) => `monitoring/${file}`),
        ...['Chart', 'values', 'values.schema'].map((file) => `chart/${file}`),
        ...['rbac', 'deployment', 'network', 'service-monitor'].map((file) => `chart/templates/${file}`),
      ].map((path) => `created /shop/${path}.${path.endsWith('.schema') ? 'json' : 'yaml'}`),
    );
  });

  it('WB-3: --check names the files that differ, and what to do', async () => {
    await generated('check');
    const current = { isCurrent: true, stdout: '17 files are up to date\n', stderr: '' };
    expect(await generated('check', { check: true })).toEqual(current);
    const file = join(directory, 'check', 'base', 'rbac.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('[get, patch]', '[get]'));
    await rm(join(directory, 'check', 'chart', 'values.yaml'));
    await writeFile(join(directory, 'check', 'base', 'old.yaml'), '# Written by mcr generate\n');
    await writeFile(join(directory, 'check', 'base', 'mine.yaml'), '# mine\n');
    const { isCurrent, stdout, stderr } = await generated('check', { check: true });
    expect(stdout).toMatch(
      /^out of date \/check\/base\/rbac\.yaml\n(?: .*\n)+missing \/check\/chart\/values\.yaml\nno longer needed \/check\/base\/old\.yaml\n$/,
    );
    expect(stderr).toBe('mcr: 3 of 18 files are out of date: run mcr generate without --check\n');
    expect(isCurrent).toBe(false);
    expect((await generated('check')).stdout).toContain('deleted /check/base/old.yaml\n');
    expect(await generated('check', { check: true })).toEqual(current);
    expect(await read('check', 'base', 'mine.yaml')).toBe('# mine\n');
  });

  it('WB-3: deletes only files in its own folders, also in the current directory', async () => {
    await generated('shared');
    for (const folder of ['base', 'other/base']) {
      await mkdir(join(directory, 'shared', folder), { recursive: true });
      await writeFile(join(directory, 'shared', folder, 'old.yaml'), '# Written by mcr generate\n');
    }
    const before = process.cwd();
    process.chdir(join(directory, 'shared'));
    try {
      const { stdout } = await run('--config', SHOP, '--out', '.');
      expect(stdout.split('\n').filter((line) => line.startsWith('deleted'))).toEqual(['deleted base/old.yaml']);
    } finally {
      process.chdir(before);
    }
    expect(await read('shared', 'other', 'base', 'old.yaml')).toBe('# Written by mcr generate\n');
  });

  it('WB-3: does not wait for processes that the config has started', async () => {
    const text = `import { spawn } from 'node:child_process';
const child = spawn('sleep', ['60'], { stdio: 'inherit', detached: true });
console.log('pid', child.pid);
${setup('')}`;
    const begun = performance.now();
    const { status, stderr } = await run('--config', await config(text), '--out', join(directory, 'sleep'));
    process.kill(Number(/pid (\d+)/u.exec(stderr)?.[1]));
    expect(status).toBe(0);
    expect(performance.now() - begun).toBeLessThan(50_000);
  });

  it('WB-3: options that depend on a variable of the Deployment have its value', async () => {
    const file = await config(`
      export default {
        name: 'a',
        manager: () => ({ health: { bindAddress: process.env['HEALTH_ADDRESS'] ?? ':8081' } }),
        setup: () => undefined,
        deploy: { env: { HEALTH_ADDRESS: ':8099' } },
      };`);
    expect(await run('--config', file, '--out', join(directory, 'variables'))).toMatchObject({ status: 0, stderr: '' });
    expect(await read('variables', 'base', 'deployment.yaml')).toContain('containerPort: 8099\n');
  });

  it.each<[string, string, RegExp]>([
    ['an enum', 'enum A { B }\nexport default {};', /enum.*: Node\.js removes types only: set erasableSyntaxOnly/su],
    ['a wrong extension', "import './kinds.js';", /Cannot find module .*write imports with the extension \.ts/su],
    [
      'a setup that does not end',
      setup('await new Promise(() => setInterval(() => {}, 1000));'),
      /setup\(\) has not returned after 1 s: it must not wait/u,
    ],
    ['a setup that blocks', setup('for (;;);'), /setup\(\) has not returned after 1 s/u],
    ['a config that exits', setup('process.exit(7);'), /the process ended with exit code 7 during setup\(\)/u],
  ])('WB-3: refuses %s', async (_, text, message) => {
    const { status, stdout, stderr } = await run(
      ...['--config', await config(text), '--out', join(directory, 'refused'), '--timeout', '1'],
    );
    expect(stderr).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });

  it('WB-3: names the file and line of the project where the import of the config fails', async () => {
    const file = await config("import './broken.ts';\nexport default {};");
    for (const [text, message] of [
      ['let ok = 1;\nexport const = 3;\n', /^mcr: \S+\/broken\.ts:2: Unexpected token `=`(?!.*erasableSyntaxOnly)/su],
      ["import { nope } from 'node:path';\nnope();\n", /^mcr: \S+\/broken\.ts:1: .*'nope'/u],
      ['\nabsent();\n', /^mcr: \S+\/broken\.ts:2: absent is not defined\n$/u],
      ['\n\nenum A { B }\n', /^mcr: \S+\/broken\.ts:3: .*: set erasableSyntaxOnly/u],
    ] as const) {
      await writeFile(join(dirname(file), 'broken.ts'), text);
      const { status, stderr } = await run('--config', file, '--out', join(directory, 'broken'));
      expect(stderr).toMatch(message);
      expect(status).toBe(1);
    }
  });

  it('WB-3: says what to do without a config, and does not overwrite files of others', async () => {
    const missing = await run('--config', join(directory, 'absent.ts'));
    expect(missing.stderr).toBe(
      'mcr: /absent.ts: no such file: run the command in the directory of the project, or set --config <file>\n',
    );
    await mkdir(join(directory, 'mine', 'base'), { recursive: true });
    await writeFile(join(directory, 'mine', 'base', 'rbac.yaml'), 'mine\n');
    await expect(generated('mine')).rejects.toThrow(
      '/mine/base/rbac.yaml was not written by mcr generate: move it, or set --force to overwrite it',
    );
  });
});
