import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { startLoopbackRegistry } from './loopback-registry.mjs';
import { publishedPackages, root } from './published-packages.mjs';

/** Publishes a version that has nothing but its number. */
async function publishEmpty({ url }, name, version) {
  const body = JSON.stringify({
    name,
    versions: { [version]: { name, version } },
    'dist-tags': { latest: version },
    _attachments: {},
  });
  expect((await fetch(`${url}${encodeURIComponent(name)}`, { method: 'PUT', body })).status).toBe(201);
}

it('pnpm release refuses to publish an older version as the latest one', async () => {
  const packages = publishedPackages();
  const tarballs = mkdtempSync(join(tmpdir(), 'mcr-release-'));
  const registry = await startLoopbackRegistry();
  try {
    const [{ name, version }] = packages;
    for (const each of ['0.0.1', '100.0.0']) await publishEmpty(registry, name, each);
    for (const { tarball } of packages) writeFileSync(join(tarballs, tarball), '');
    const argv = [join(root, 'scripts', 'release.mjs'), '--from', tarballs, '--registry', registry.url];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
    expect(await text(child.stderr)).toBe(
      `release failed: ${name}@${version}: the registry has 100.0.0: set another tag, such as --tag previous\n`,
    );
    expect(registry.published).toEqual([`${name}@0.0.1`, `${name}@100.0.0`]);
  } finally {
    registry.close();
    rmSync(tarballs, { recursive: true });
  }
});
