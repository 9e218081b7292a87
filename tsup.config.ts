import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Options } from 'tsup';

interface Package {
  readonly name: string;
  readonly version: string;
}

interface Manifest {
  exports: Record<string, { '@mcr/source': string; default: string } | string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Builds the package it is run in: one bundle for each entry of that package's `exports`. */
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const entries = Object.values(manifest.exports).filter((target) => typeof target !== 'string');

/**
 * CommonJS packages that `dist` includes as the ES modules given here, if they are `devDependencies` of the package.
 * The reasons are in docs/decisions/0011-included-packages.md.
 */
const INCLUDED: Readonly<Record<string, string>> = {
  // The build for browsers: ES modules that use nothing of Node.js.
  yaml: `export { parseDocument } from './browser/index.js';`,
  // The classes that are used. The others need more packages.
  'prom-client': `
    export { default as Registry } from './lib/registry.js';
    export { default as Counter } from './lib/counter.js';
    export { default as Gauge } from './lib/gauge.js';
    export { default as Histogram } from './lib/histogram.js';
  `,
};
/**
 * An ES module: `dist` includes the parts that the package uses, unless it is a peer, which users have. It stays a
 * dependency, because types refer to it.
 */
const SHAKEN = 'zod';
const included = Object.keys(INCLUDED).filter((name) => manifest.devDependencies?.[name] !== undefined);
const { resolve: locate } = createRequire(resolve('package.json'));
const directoryOf = (name: string) => dirname(locate(`${name}/package.json`));

const includePackages: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'include-packages',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) =>
        Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
      );
      refuseWholeZod(inputs);
      writeLicenses(inputs);
    });
    // A module that runs now: `dist` has the values of its exports.
    build.onLoad({ filter: /\.built\.ts$/ }, async ({ path }) => {
      const values = Object.entries((await import(pathToFileURL(path).href)) as Record<string, unknown>);
      return { contents: values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n') };
    });
    for (const name of included) {
      const namespace = `included-${name}`;
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace }));
      build.onLoad({ filter: /.*/, namespace }, () => ({
        contents: INCLUDED[name] ?? '',
        resolveDir: directoryOf(name),
      }));
    }
    // An ES module has no `require`.
    build.onLoad({ filter: /\/prom-client\/lib\/\w+\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(`require('util')`, `process.getBuiltinModule('node:util')`),
    }));
  },
};

/**
 * Makes files Latin-1: V8 keeps the source of others with two bytes for each character. Strings have escapes, so this is about
 * comments.
 */
const narrowText: NonNullable<Options['plugins']>[number] = {
  name: 'narrow-text',
  renderChunk(code, { path }) {
    const narrow = code.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gmu, (comment) => comment.replaceAll(/[^\0-\xff]/gu, '-'));
    const [wide] = /[^\0-\xff]/u.exec(narrow) ?? [];
    if (wide !== undefined) throw new Error(`${path} has the character ${JSON.stringify(wide)}: write it as an escape`);
    return { code: narrow };
  },
};

export default defineConfig({
  entry: Object.fromEntries(
    entries.map((target) => [target.default.replace('./dist/', '').replace('.js', ''), target['@mcr/source']]),
  ),
  format: 'esm',
  target: 'node22',
  platform: 'node',
  dts: { resolve: included },
  sourcemap: true,
  clean: true,
  treeshake: true,
  // `node:test` has no other name.
  removeNodeProtocol: false,
  silent: true,
  noExternal: manifest.peerDependencies?.[SHAKEN] === undefined ? [SHAKEN] : [],
  esbuildPlugins: [includePackages],
  plugins: [narrowText],
  // Prefers the ES modules of included packages: esbuild removes unused parts of ES modules only.
  // Escapes characters in strings, see `narrowText`.
  esbuildOptions: (options) => void Object.assign(options, { mainFields: ['module', 'main'], charset: 'ascii' }),
});

/**
 * Refuses a build that includes the texts of zod in all languages, about 500 KB. A value such as `z.core.toDotPath` keeps the
 * whole namespace `z.core`.
 */
function refuseWholeZod(files: readonly string[]): void {
  const unused = files.find((file) => /\/zod\/v4\/locales\/(?!en\.)/.test(file));
  if (unused === undefined) return;
  throw new Error(
    `dist includes ${unused}: write "import * as z from 'zod'", and use no values of z.core, z.util and z.locales`,
  );
}

/** Writes the licenses of the packages to which these files belong to `dist/LICENSES.txt`. */
function writeLicenses(files: readonly string[]): void {
  const directories = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const licenses = [...new Set(directories)].map((directory) => {
    const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Package;
    const license = readdirSync(directory).find((file) => /^license/i.test(file));
    if (license === undefined) throw new Error(`${name} has no license file: it cannot be part of dist`);
    return `${name} ${version}\n\n${readFileSync(join(directory, license), 'utf8').trim()}\n`;
  });
  if (licenses.length === 0) return;
  mkdirSync('dist', { recursive: true });
  writeFileSync(join('dist', 'LICENSES.txt'), licenses.sort().join(`\n${'-'.repeat(80)}\n\n`));
}
