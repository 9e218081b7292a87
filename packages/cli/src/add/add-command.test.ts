import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMcr } from '../command/mcr-program.ts';

async function run(...argv: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  const texts = { out: '', err: '' };
  const { signal } = new AbortController();
  const print = (text: string): void => void (texts.out += text);
  const warn = (text: string): void => void (texts.err += text);
  const status = await runMcr(['add', ...argv], { print, warn, signal });
  return { status, ...texts };
}

const FILES = {
  'mcr.config.ts': "export default { name: 'shops' };\n",
  'package.json': '{\n  "dependencies": {\n    "@mcr/core": "^0.1.0"\n  }\n}\n',
  'src/kinds.ts': 'export const kinds = [];\n',
  'src/setup.ts': 'export async function setup(manager) {}\n',
};

describe('mcr add', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-add-'));
    await mkdir(join(directory, 'src'));
    for (const [path, text] of Object.entries(FILES)) await writeFile(join(directory, path), text);
  });
  afterAll(() => rm(directory, { recursive: true }));
  const read = (path: string) => readFile(join(directory, path), 'utf8');

  it('WB-1: adds a kind to the project of the config', async () => {
    const config = join(directory, 'mcr.config.ts');
    const flags = ['--config', config, '--plural', 'shopz', '--group', 'shop.example.org'];
    const dry = await run('kind', 'Shop', ...flags, '--dry-run');
    expect(dry).toMatchObject({ status: 0, err: '' });
    expect(dry.out).toContain('would update src/kinds.ts\n    - export const kinds = [];\n    + import { Shop }');
    expect(await read('src/kinds.ts')).toBe(FILES['src/kinds.ts']);

    expect(await run('kind', 'Shop', ...flags)).toMatchObject({ status: 0, err: '' });
    expect(await read('src/shop/kind.ts')).toContain("'shop.example.org/v1',\n  kind: 'Shop',\n  plural: 'shopz'");
    expect(await read('src/kinds.ts')).toBe("import { Shop } from './shop/kind.ts';\n\nexport const kinds = [Shop];\n");
    expect(await read('src/setup.ts')).toContain('setup(manager) {\n  await addShopController(manager);\n}\n');
    expect(await run('provider', 'file', '--config', config)).toMatchObject({
      status: 1,
      err: expect.stringContaining(
        'mcr: nothing was changed: write these lines by hand, and run the command again\n\n  src/fleet.ts: no such file\n',
      ) as unknown,
    });
  });

  it.each([
    [['knid', 'Shop'], "unknown command 'knid'\n(Did you mean kind?)"],
    [['kind'], "missing required argument 'name'"],
    [['kind', 'shop-item'], 'expected a name in CamelCase such as "ShopItem"'],
    [['kind', 'Shop', '--grup', 'a.b'], "unknown option '--grup'\n(Did you mean --group?)"],
    [['kind', 'Shop', '--group', 'shop'], 'expected a group with a dot'],
    [['kind', 'Shop', 'Box'], 'too many arguments'],
    [['webhook', 'Shop', '--dryrun'], "unknown option '--dryrun'\n(Did you mean --dry-run?)"],
    [
      ['provider', 'kubeconfg'],
      'expected one of kubeconfig, file, capi, inventory, namespace\n(Did you mean kubeconfig?)',
    ],
  ])('WB-1: refuses %j', async (argv, message) => {
    const { status, err } = await run(...argv);
    expect(err).toContain(message);
    expect(status).toBe(2);
  });
});
