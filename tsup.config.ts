import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

interface Manifest {
  exports: Record<string, { '@mcr/source': string; default: string } | string>;
}

/** Builds the package it is run in: one bundle for each entry of that package's `exports`. */
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const entries = Object.values(manifest.exports).filter((target) => typeof target !== 'string');

export default defineConfig({
  entry: Object.fromEntries(
    entries.map((target) => [target.default.replace('./dist/', '').replace('.js', ''), target['@mcr/source']]),
  ),
  format: 'esm',
  target: 'node22',
  platform: 'node',
  dts: true,
  sourcemap: true,
  clean: true,
  treeshake: true,
  // `node:test` has no other name.
  removeNodeProtocol: false,
  silent: true,
});
