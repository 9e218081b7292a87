// Follows docs/tutorial.md with the Node.js and the npm of a reader.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { once } from 'node:events';
import { root } from '../published-packages.mjs';
import { node } from '../steps.mjs';
import { follow } from './follow.mjs';

/** Ports of the fleet pages. The tutorial names them. */
const PORTS = [8080, 8081, 8082];

/**
 * Does what the tutorial says, in an empty folder below `directory`.
 *
 * @param {{ readonly url: string }} registry Registry with the packages of this repository.
 * @param {string} directory Must not exist.
 * @throws {Error} with the line of the step that failed.
 */
export async function followTutorial(registry, directory) {
  const [folder, programs, cache] = ['reader', 'bin', 'cache'].map((name) => join(directory, name));
  for (const each of [folder, programs, cache]) mkdirSync(each, { recursive: true });
  symlinkSync(node, join(programs, 'node'));
  // npx keeps programs in its cache, also those of an earlier run with the same version. Downloads are shared.
  symlinkSync(join(npmCache(), '_cacache'), join(cache, '_cacache'));
  const userconfig = join(directory, 'npmrc');
  writeFileSync(userconfig, `@mcr:registry=${registry.url}\n`);
  const path = (process.env.PATH ?? '').split(':').filter((entry) => !entry.endsWith(join('node_modules', '.bin')));
  const env = {
    // Without the settings of the npm that runs this program.
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|KUBECONFIG$)/iu.test(name))),
    PATH: [programs, ...path].join(':'),
    npm_config_userconfig: userconfig,
    npm_config_cache: cache,
  };
  const text = readFileSync(join(root, 'docs', 'tutorial.md'), 'utf8');
  await follow(text, { scratch: directory, folder, env });
}

/** Returns a port of the tutorial that another program uses, if there is one. Then the tutorial cannot be followed. */
export async function portInUse() {
  for (const port of PORTS) if (!(await isFree(port))) return port;
  return undefined;
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

function npmCache() {
  return execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
}
