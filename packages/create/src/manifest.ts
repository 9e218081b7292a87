import { readFile } from 'node:fs/promises';
import type { Answers } from './answers.ts';

interface OwnManifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const SCRIPTS = {
  build: 'esbuild src/main.ts --bundle --platform=node --format=esm --outfile=dist/main.mjs',
  dev: 'mcr dev',
  format: 'prettier --write .',
  generate: 'mcr generate',
  lint: 'eslint . && prettier --check .',
  start: 'node src/main.ts',
  test: 'node --test "src/**/*.test.ts"',
  typecheck: 'tsc --noEmit',
};

const TOOLS = [
  ...['@eslint/js', '@mcr/cli', '@mcr/envtest', '@types/node', 'esbuild', 'eslint', 'prettier', 'typescript'],
  'typescript-eslint',
];

/**
 * Returns the `package.json` of a project.
 *
 * @param ownFile the `package.json` of this package. Its `devDependencies` have the versions that the templates are tested with.
 */
export async function manifestOf({ name, provider, kind, hasWebhooks }: Answers, ownFile: string): Promise<string> {
  const { version, devDependencies } = JSON.parse(await readFile(ownFile, 'utf8')) as OwnManifest;
  const versions = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      // Within this repository, they are those of the work tree.
      names.toSorted().map((each) => [each, (devDependencies[each] ?? '').replace(/^workspace:.*$/u, `^${version}`)]),
    );
  const dependencies = [
    '@mcr/core',
    ...(typeof kind === 'string' ? [] : ['@mcr/kinds', 'zod']),
    ...(provider === 'none' ? [] : [`@mcr/provider-${provider}`]),
    ...(hasWebhooks ? ['@mcr/webhook'] : []),
  ];
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '^22.22.2 || ^24.15.0 || >=26' },
    scripts: SCRIPTS,
    dependencies: versions(dependencies),
    devDependencies: versions([...TOOLS, 'zod'].filter((each) => !dependencies.includes(each))),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
