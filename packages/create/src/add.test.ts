import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AddRequest, addToProject } from './add.ts';
import { runCreate } from './create-program.ts';

const SHOP: AddRequest = { part: 'kind', name: 'Shop' };

describe('mcr add', () => {
  let directory: string;
  let project: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-add-'));
  });
  afterAll(() => rm(directory, { recursive: true }));
  beforeEach(async () => {
    project = join(await mkdtemp(join(directory, 'x')), 'my-operator');
    expect(await create('--group', 'greet.example.com')).toBe(0);
  });

  const ignore = (): void => undefined;
  const create = (...flags: string[]): Promise<number> =>
    runCreate([project, ...flags], { print: ignore, warn: ignore, env: {}, isInteractive: false });
  const file = (path: string): string => join(project, path);
  const read = (path: string): Promise<string> => readFile(file(path), 'utf8');
  const change = async (path: string, from: string, to: string): Promise<void> => {
    const text = await read(path);
    expect(text).toContain(from);
    await writeFile(file(path), text.replace(from, to));
  };
  /** Returns what was printed. */
  const add = async (request: AddRequest, dryRun = false): Promise<string> => {
    let out = '';
    await addToProject(request, { config: file('mcr.config.ts'), dryRun, print: (text) => void (out += text) });
    return out;
  };
  /** Returns the texts of all files by their paths. */
  const snapshot = async (): Promise<Record<string, string>> => {
    const entries = await readdir(project, { recursive: true, withFileTypes: true });
    const paths = entries.filter((each) => !each.isDirectory()).map((each) => join(each.parentPath, each.name));
    const texts = paths.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'utf8')]);
    return Object.fromEntries<string>(await Promise.all(texts));
  };
  /** Expects a refusal that changes no file. */
  const expectRefused = async (request: AddRequest, message: string | RegExp): Promise<void> => {
    const before = await snapshot();
    await expect(add(request)).rejects.toThrow(message);
    expect(await snapshot()).toEqual(before);
  };

  it('WB-1: adds a kind with the group of the first one, and says what to do next', async () => {
    expect(await add(SHOP)).toBe(
      [
        ...['controller.test.ts', 'controller.ts', 'kind.ts', 'server.test.ts'].map(
          (name) => `created src/shop/${name}`,
        ),
        ...['updated src/kinds.ts', 'updated src/setup.ts', 'Next:', '', '  npm run generate', '  npm test', ''],
      ].join('\n'),
    );
    expect(await read('src/shop/kind.ts')).toContain("apiVersion: 'greet.example.com/v1',\n  kind: 'Shop',");
    expect(await add({ ...SHOP, name: 'Ox', plural: 'oxen', group: 'farm.example.com' })).toContain('created src/ox');
    expect(await read('src/ox/kind.ts')).toContain(
      "apiVersion: 'farm.example.com/v1',\n  kind: 'Ox',\n  plural: 'oxen',",
    );
    expect(await read('src/kinds.ts')).toContain('= [Greeting, Shop, Ox];\n');
  });

  it('WB-1: does nothing the second time', async () => {
    for (const request of [SHOP, { part: 'webhook', kind: 'Shop' }, { part: 'provider', name: 'file' }] as const) {
      await add(request);
      const before = await snapshot();
      expect(await add(request)).toBe('the project has it already: nothing was changed\n');
      expect(await snapshot()).toEqual(before);
    }
  });

  it('WB-1: changes nothing for the provider that the project was created with', async () => {
    const before = await snapshot();
    expect(await add({ part: 'provider', name: 'kubeconfig' })).toBe(
      'the project has it already: nothing was changed\n',
    );
    expect(await snapshot()).toEqual(before);
  });

  it('WB-1: --dry-run prints the changes, and writes nothing', async () => {
    const before = await snapshot();
    const out = await add({ part: 'provider', name: 'file' }, true);
    expect(out).toContain(
      "would create src/providers/file.ts\n    import { createFileProvider } from '@mcr/provider-file';\n",
    );
    expect(out).toContain(`would update src/fleet.ts
    + import { createMultiProvider } from '@mcr/provider-multi';
    + import { fileProvider } from './providers/file.ts';
    -   provider: kubeconfigProvider(),
    +   provider: createMultiProvider({
    +     providers: {
    +       kubeconfig: kubeconfigProvider(),
    +       file: fileProvider(),
    +     },
    +   }),
`);
    expect(out).toMatch(/note: names of clusters have the prefix .*\nnothing was written\n$/u);
    expect(await snapshot()).toEqual(before);
  });

  it('WB-1: keeps what a person wrote, with line endings, modes and links', async () => {
    await change(
      'src/setup.ts',
      '  await addGreetingController(manager);',
      '  // first\n  await addGreetingController(manager); // last',
    );
    await change('src/setup.ts', "from '@mcr/dashboard';", "from '@mcr/dashboard'; // the page");
    await writeFile(file('src/setup.ts'), (await read('src/setup.ts')).replaceAll('\n', '\r\n'));
    await change('src/kinds.ts', '= [Greeting];', '= [\n  // the only one\n  Greeting,\n] as const;');
    await chmod(file('src/setup.ts'), 0o640);
    await rename(file('src/kinds.ts'), file('list.ts'));
    await symlink('../list.ts', file('src/kinds.ts'));
    const before = { setup: await read('src/setup.ts'), kinds: await read('list.ts') };
    await add(SHOP);
    expect(await read('src/setup.ts')).toBe(
      before.setup
        .replace("controller.ts';", "controller.ts';\r\nimport { addShopController } from './shop/controller.ts';")
        .replace('// last', '// last\r\n  await addShopController(manager);'),
    );
    expect((await stat(file('src/setup.ts'))).mode & 0o777).toBe(0o640);
    expect(await read('list.ts')).toBe(
      before.kinds
        .replace("greeting/kind.ts';", "greeting/kind.ts';\nimport { Shop } from './shop/kind.ts';")
        .replace('  Greeting,\n', '  Greeting,\n  Shop,\n'),
    );
    expect((await lstat(file('src/kinds.ts'))).isSymbolicLink()).toBe(true);
  });

  it('WB-1: breaks a list that becomes too long for a line', async () => {
    const names = ['A', 'B', 'C'].map((letter) => `${letter}${'x'.repeat(28)}`);
    for (const name of names) await add({ part: 'kind', name });
    expect(await read('src/kinds.ts')).toContain(
      `= [\n  Greeting,\n${names.map((name) => `  ${name},\n`).join('')}];\n`,
    );
  });

  it.each<[string, string, string, AddRequest, string]>([
    [
      'a setup of another form',
      'src/setup.ts',
      'export const setup = register;\n',
      SHOP,
      `nothing was changed: write these lines by hand, and run the command again

src/setup.ts: expected a function setup
  import { addShopController } from './shop/controller.ts';
  await addShopController(manager); // in the function setup`,
    ],
    ['a setup that is not valid', 'src/setup.ts', 'export const', SHOP, 'src/setup.ts: not valid TypeScript: '],
    [
      'a setup that returns a value',
      'src/setup.ts',
      'export async function setup(manager) { return add(manager); }',
      SHOP,
      'src/setup.ts: the function setup ends with "return add(manager);"\n',
    ],
    [
      'kinds from elsewhere',
      'src/kinds.ts',
      "export { kinds } from './all.ts';\n",
      SHOP,
      `src/kinds.ts: expected a constant such as "export const kinds = [];"
  import { Shop } from './shop/kind.ts';
  export const kinds = [..., Shop];`,
    ],
    [
      'a name with another meaning',
      'src/kinds.ts',
      "import { Shop } from 'shops';\nexport const kinds = [Shop];\n",
      SHOP,
      'src/kinds.ts: the name Shop has another meaning already\n',
    ],
    [
      'a fleet of another form',
      'src/fleet.ts',
      'export const fleet = () => ({ provider: new OwnClusters() });\n',
      { part: 'provider', name: 'file' },
      'src/fleet.ts: expected a provider such as "provider: createFileProvider({ ... })"\n  import { fileProvider }',
    ],
    [
      'a package.json that is not valid',
      'package.json',
      '{',
      { part: 'provider', name: 'file' },
      'package.json: not valid',
    ],
    [
      'a config of another form',
      'mcr.config.ts',
      "export default make('my-operator');\n",
      SHOP,
      'mcr.config.ts: expected "export default { ... }": nothing was changed',
    ],
    ['a kind whose files exist', 'src/shop/kind.ts', '// mine\n', SHOP, 'src/shop/kind.ts exists already: nothing was'],
  ])('WB-1: changes nothing with %s', async (_, path, text, request, message) => {
    await mkdir(file('src/shop'), { recursive: true });
    await writeFile(file(path), text);
    await expectRefused(request, message);
  });

  it('WB-1: accepts lines that a person wrote by hand', async () => {
    await writeFile(
      file('src/setup.ts'),
      "import { addShopController } from './shop/controller.ts';\nexport const setup = register(addShopController);\n",
    );
    const before = await read('src/setup.ts');
    expect(await add(SHOP)).toContain('created src/shop/controller.ts\n');
    expect(await read('src/setup.ts')).toBe(before);
  });

  it('WB-1: refuses a webhook of an unknown kind, with the nearest one', async () => {
    await expectRefused({ part: 'webhook', kind: 'Greting' }, 'of a kind Greting: did you mean Greeting?');
    await expectRefused({ part: 'webhook', kind: 'Shop' }, 'of a kind Shop: expected Greeting');
  });

  it('WB-1: says what to do outside of a project', async () => {
    project = directory;
    await expect(add(SHOP)).rejects.toThrow(/^mcr\.config\.ts: no such file: run the command in the directory/u);
  });

  it('WB-1: adds dependencies in the versions and the format of the project', async () => {
    await rm(project, { recursive: true });
    expect(await create('--builtin', 'Secret', '--provider', 'none')).toBe(0);
    const manifest = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> };
    manifest.dependencies['@mcr/core'] = '~0.1.7';
    await writeFile(file('package.json'), `${JSON.stringify({ ...manifest, mine: [1] }, null, '\t')}\n`);
    await add(SHOP);
    const text = await read('package.json');
    const { dependencies, devDependencies, mine } = JSON.parse(text) as Record<string, Record<string, string>>;
    expect(Object.keys(dependencies ?? {})).toEqual(['@mcr/core', '@mcr/dashboard', '@mcr/kinds', 'zod']);
    expect(dependencies).toMatchObject({ '@mcr/kinds': '~0.1.7', zod: '^4.6.7' });
    expect(devDependencies).not.toHaveProperty('zod');
    expect(mine).toEqual([1]);
    expect(text).toContain('\n\t\t"@mcr/kinds"');
  });

  it.each([['dependencies'], ['devDependencies']])(
    'WB-1: refuses a package.json whose %s are not an object',
    async (field) => {
      const manifest = JSON.parse(await read('package.json')) as object;
      await writeFile(file('package.json'), JSON.stringify({ ...manifest, [field]: [] }));
      await expectRefused(SHOP, `package.json: expected a JSON object in "${field}"`);
    },
  );

  it('WB-1: refuses what is not a regular file, such as a device without an end', async () => {
    await rm(file('src/kinds.ts'));
    await symlink('/dev/zero', file('src/kinds.ts'));
    await expect(add(SHOP)).rejects.toThrow(/src\/kinds\.ts is not a regular file: nothing was changed$/u);
  });

  it('WB-1: the first webhook adds a server, whose address fits the fleet', async () => {
    await add({ part: 'webhook', kind: 'Greeting' });
    expect(await read('src/webhooks.ts')).toContain('const webhooks = [greetingWebhook];');
    expect(await read('src/webhooks.ts')).toContain("process.env['WEBHOOK_URL']");
    expect(await read('mcr.config.ts')).toContain('  kinds,\n  webhooks: { port: 9443 },\n  manager: ');
    await rm(project, { recursive: true });
    expect(await create('--provider', 'none')).toBe(0);
    await change('mcr.config.ts', "namespace: 'my-operator'", "namespace: 'operators'");
    await add({ part: 'webhook', kind: 'Greeting' });
    expect(await read('src/webhooks.ts')).toContain("{ namespace: 'operators', name: 'my-operator-webhook' }");
    expect(await add({ part: 'provider', name: 'capi' })).toContain('in the local cluster only');
  });
});
