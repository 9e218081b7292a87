import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMcr } from '../command/mcr-program.ts';

const inputs = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, { bytesInOutput: 1 }]));

describe('mcr sbom', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-sbom-'));
    const files = {
      'package.json': JSON.stringify({ name: 'shop-operator', version: '0.1.0' }),
      'node_modules/@mcr/core/package.json': JSON.stringify({
        name: '@mcr/core',
        version: '1.0.0',
        license: 'Apache-2.0',
      }),
      'node_modules/@mcr/core/dist/LICENSES.txt': `yaml 2.9.1\n\nISC\n${'-'.repeat(80)}\n\nzod 4.6.7\n\nMIT\n`,
      'node_modules/zod/package.json': JSON.stringify({ name: 'zod', version: '4.6.7', license: 'MIT' }),
      'node_modules/a/node_modules/zod/package.json': JSON.stringify({ name: 'zod', version: '3.1.0+b', license: {} }),
      'node_modules/own/package.json': JSON.stringify({ name: 'own', version: '1.0.0', license: 'SEE LICENSE IN A' }),
      'node_modules/unused/package.json': JSON.stringify({ name: 'unused', version: '1.0.0' }),
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    await mkdir(join(directory, 'dist'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const run = async (metafile: string | undefined) => {
    const [meta, out] = [join(directory, 'dist', 'meta.json'), join(directory, 'dist', 'sbom.json')];
    await rm(meta, { force: true });
    if (metafile !== undefined) await writeFile(meta, metafile);
    let text = '';
    const print = (part: string): void => void (text += part.replaceAll(directory, ''));
    const { signal } = new AbortController();
    const status = await runMcr(['sbom', '--meta', meta, '--out', out], { print, warn: print, signal });
    return { status, text, out };
  };

  it('WB-7: lists the packages in the bundle, and those that a package includes', async () => {
    const used = inputs(
      ...['src/main.ts', 'node_modules/@mcr/core/dist/index.js', 'node_modules/zod/index.js', 'node_modules/own/a.js'],
      ...['node_modules/a/node_modules/zod/index.js', 'node_modules/zod/v4/core.js'],
    );
    const removed = { 'node_modules/unused/index.js': { bytesInOutput: 0 } };
    const metafile = JSON.stringify({ outputs: { 'dist/main.mjs': { inputs: { ...used, ...removed } } } });
    const { status, text, out } = await run(metafile);
    expect({ status, text }).toEqual({ status: 0, text: 'wrote /dist/sbom.json: 5 packages in the bundle\n' });
    const first = await readFile(out, 'utf8');
    const library = (name: string, version: string, purl: string, license?: object) => ({
      ...{ type: 'library', 'bom-ref': purl, name, version, purl, ...(license && { licenses: [license] }) },
    });
    expect(JSON.parse(first)).toMatchObject({
      ...{ bomFormat: 'CycloneDX', specVersion: '1.6' },
      metadata: { component: { type: 'application', name: 'shop-operator', purl: 'pkg:npm/shop-operator@0.1.0' } },
      components: [
        library('@mcr/core', '1.0.0', 'pkg:npm/%40mcr/core@1.0.0', { expression: 'Apache-2.0' }),
        library('own', '1.0.0', 'pkg:npm/own@1.0.0', { license: { name: 'SEE LICENSE IN A' } }),
        library('yaml', '2.9.1', 'pkg:npm/yaml@2.9.1'),
        library('zod', '3.1.0+b', 'pkg:npm/zod@3.1.0%2Bb'),
        library('zod', '4.6.7', 'pkg:npm/zod@4.6.7', { expression: 'MIT' }),
      ],
    });
    await run(metafile);
    expect(await readFile(out, 'utf8')).toBe(first);
  });

  it.each<[string, string | undefined, string]>([
    ['no metafile', undefined, 'mcr: /dist/meta.json: no such file: run "npm run build", which writes it\n'],
    ['another file', '{}', 'mcr: /dist/meta.json: field "outputs": '],
    ['a text that is not JSON', 'a', 'mcr: /dist/meta.json: Unexpected token'],
    [
      'a package that is not installed',
      JSON.stringify({ outputs: { a: { inputs: inputs('node_modules/absent/index.js') } } }),
      'mcr: /node_modules/absent/package.json: no such file: install the dependencies\n',
    ],
  ])('WB-7: refuses %s', async (_, metafile, message) => {
    const { status, text } = await run(metafile);
    expect(text).toContain(message);
    expect(status).toBe(1);
  });
});
