// Builds the documentation site: `npm run site [-- --out DIR] [--serve]`. The version goes into DIR/<version>, beside the ones
// that are there, and the root of DIR lists all of them. Fails on links that lead nowhere. `--serve` then serves it on loopback.
import { resolve } from 'node:path';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from './published-packages.mjs';
import { buildVersion, version } from './site/build.mjs';
import { deadLinks } from './site/dead-links.mjs';
import { serve } from './site/serve.mjs';
import { writeRoot } from './site/versions.mjs';

const { values } = parseArgs({
  options: { out: { type: 'string' }, serve: { type: 'boolean', default: false } },
});
const site = values.out === undefined ? join(root, 'site') : resolve(process.env.INIT_CWD ?? '.', values.out);

const started = Date.now();
const pages = await buildVersion(join(site, version));
const versions = writeRoot(site);
const problems = deadLinks(site);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
const seconds = ((Date.now() - started) / 1000).toFixed(1);
console.log(`${pages} pages of version ${version} in ${site} (${seconds} s); versions: ${versions.join(', ')}`);
if (values.serve) {
  const { url } = await serve(site);
  console.log(`${url}  (Ctrl-C ends the server)`);
}
