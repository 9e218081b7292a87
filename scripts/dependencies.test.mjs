import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const read = (file) => readFileSync(join(root, file), 'utf8');
const packages = readdirSync(join(root, 'packages')).map((name) => ({
  name,
  manifest: JSON.parse(read(`packages/${name}/package.json`)),
}));

/** Scripts that npm runs when it installs a package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

describe('the dependencies of published packages', () => {
  it.each(packages)('S-9: $name has no install scripts', ({ manifest }) => {
    expect(Object.keys(manifest.scripts ?? {}).filter((script) => INSTALL_SCRIPTS.includes(script))).toEqual([]);
  });

  it.each(packages)('S-9, PV-1: $name has few dependencies, and a core that its user shares', ({ name, manifest }) => {
    const dependencies = Object.keys(manifest.dependencies ?? {});
    // The command is installed on the machines of developers only.
    const limit = name === 'cli' ? 6 : 5;
    expect(dependencies.filter((dependency) => !dependency.startsWith('@mcr/')).length).toBeLessThanOrEqual(limit);
    if (name.startsWith('provider-') && name !== 'provider-conformance') {
      expect(Object.keys(manifest.peerDependencies)).toEqual(['@mcr/core']);
      expect(dependencies.filter((dependency) => dependency.startsWith('@mcr/'))).toEqual([]);
    }
  });

  it('S-9: the lockfile pins all dependencies, and only listed packages run install scripts', () => {
    expect(read('pnpm-lock.yaml')).toContain("lockfileVersion: '9.0'");
    const allowed = /onlyBuiltDependencies:\n((?: {2}- .*\n)+)/u.exec(read('pnpm-workspace.yaml'))?.[1];
    expect(allowed?.match(/[@\w/-]+\/?[\w-]+/gu)?.filter((word) => /\w/u.test(word))).toEqual([
      '@swc/core',
      'esbuild',
      'node',
    ]);
  });
});
