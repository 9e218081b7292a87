// Compares the public API with that of the latest release of each package. Fails if an export was removed without the notice
// that docs/upgrades.md promises. Needs a clone with all tags.
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import process from 'node:process';
import { removedExports } from './api/removed-exports.mjs';
import { publishedPackages, root } from './published-packages.mjs';

const argv = ['rev-parse', '--is-shallow-repository'];
if (spawnSync('git', argv, { cwd: root, encoding: 'utf8' }).stdout.trim() !== 'false') {
  console.error('the repository is not a clone with all tags: run git fetch --unshallow --tags');
  process.exit(1);
}
for (const { name, directory } of publishedPackages()) {
  for (const removed of removedExports(root, { name, path: relative(root, directory) }, Date.now())) {
    console.error(
      `${name}: ${removed} was removed, but no release of at least 90 days ago marks it as deprecated: restore it`,
    );
    process.exitCode = 1;
  }
}
console.log(`removed exports: ${process.exitCode ? 'see above' : 'ok'}`);
