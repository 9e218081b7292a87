import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnexpectedCodeError } from './edit/module-text.ts';
import { PACKAGE } from './template.ts';

interface OwnManifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Stack traces have names, and Node.js prints the line of an error, which must not be the whole file. */
const BUNDLE = '--bundle --platform=node --format=esm --minify-whitespace --minify-syntax --line-limit=160';

const SCRIPTS = {
  build: `esbuild src/main.ts ${BUNDLE} --outfile=dist/main.mjs --metafile=dist/meta.json`,
  dev: 'mcr dev',
  format: 'prettier --write .',
  generate: 'mcr generate',
  lint: 'eslint . && prettier --check .',
  sbom: 'mcr sbom',
  start: 'node src/main.ts',
  test: 'node --test "src/**/*.test.ts"',
  typecheck: 'tsc --noEmit',
};

const TOOLS = [
  ...['@eslint/js', '@mcr/cli', '@mcr/envtest', '@types/node', 'esbuild', 'eslint', 'prettier', 'typescript'],
  ...['typescript-eslint', 'zod'],
];

/** Returns the `package.json` of a project without kinds, providers and webhooks. */
export async function newManifest(name: string): Promise<string> {
  const versions = await testedVersions();
  return textOf({
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '^22.22.2 || ^24.15.0 || >=26' },
    scripts: SCRIPTS,
    dependencies: selected(['@mcr/core', '@mcr/dashboard'], versions),
    devDependencies: selected(TOOLS, versions),
  });
}

/**
 * Adds packages to the dependencies in a `package.json`. Those that only the tools used until now move there.
 *
 * @throws {UnexpectedCodeError} if the text is not a JSON object.
 */
export async function withDependencies(text: string, names: readonly string[]): Promise<string> {
  const manifest = parsed(text);
  const { dependencies = {}, devDependencies = {} } = manifest;
  const missing = names.filter((name) => dependencies[name] === undefined);
  if (missing.length === 0) return text;
  // The packages of mcr have one version.
  const ownVersion = /^(?:workspace:)?[\^~]?[\w.-]*$/u.exec(dependencies['@mcr/core'] ?? '')?.[0];
  const versions = await testedVersions();
  const added = missing.map((name) => {
    const tested = (name.startsWith('@mcr/') && ownVersion) || versions[name];
    return [name, devDependencies[name] ?? tested ?? ''] as const;
  });
  const { [0]: indent = '  ' } = /(?<=^\{\r?\n)[ \t]+/u.exec(text) ?? {};
  const changed = textOf(
    {
      ...manifest,
      dependencies: sorted({ ...dependencies, ...Object.fromEntries(added) }),
      ...(manifest.devDependencies && {
        devDependencies: Object.fromEntries(
          Object.entries(devDependencies).filter(([name]) => !missing.includes(name)),
        ),
      }),
    },
    indent,
  );
  return text.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed;
}

function parsed(text: string): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new UnexpectedCodeError('expected a JSON object');
    for (const field of ['dependencies', 'devDependencies']) {
      if (!isObject(value[field] ?? {})) throw new UnexpectedCodeError(`expected a JSON object in "${field}"`);
    }
    return value;
  } catch (error) {
    if (error instanceof UnexpectedCodeError) throw error;
    throw new UnexpectedCodeError(`not valid JSON: ${(error as Error).message}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the versions that the templates are tested with. Within this repository, those of its packages are in the work tree. */
async function testedVersions(): Promise<Readonly<Record<string, string>>> {
  const file = join(PACKAGE, 'package.json');
  const { version, devDependencies } = JSON.parse(await readFile(file, 'utf8')) as OwnManifest;
  return Object.fromEntries(
    Object.entries(devDependencies).map(([name, range]) => [name, range.replace(/^workspace:.*$/u, `^${version}`)]),
  );
}

function selected(names: readonly string[], versions: Readonly<Record<string, string>>): Record<string, string> {
  return sorted(Object.fromEntries(names.map((name) => [name, versions[name] ?? ''])));
}

function sorted(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textOf(manifest: object, indent = '  '): string {
  return `${JSON.stringify(manifest, null, indent)}\n`;
}
