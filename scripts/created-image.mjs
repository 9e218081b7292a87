// Checks the image of a created project: what the SBOM lists, and a run with exactly the files of the image.
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { node } from './steps.mjs';

/**
 * @param {string} project Directory of the project, which has been built.
 * @param {object} options
 * @param {string} options.every Project with all packages, which runs the hub and the members.
 * @param {string} options.scratch
 * @param {(file: string, args: string[], options: {cwd: string}) => Promise<{stdout: string}>} options.run
 */
export async function checkImage(project, { every, scratch, run }) {
  await run('npm', ['run', 'sbom'], { cwd: project });
  checkSbom(project);
  writeFileSync(join(project, 'image.config.ts'), configWith(await freePorts(3)));
  const deploy = join(project, 'image-deploy');
  await run('npm', ['run', 'generate', '--', '--config', 'image.config.ts', '--out', deploy], { cwd: project });
  // The user of the image reaches its files.
  chmodSync(scratch, 0o711);
  const argv = [join('image', 'check-image.mjs'), project, deploy, node, join(scratch, 'image')];
  const { stdout } = await run(node, argv, { cwd: every });
  console.log(`   ${stdout.trim()}`);
}

/** The SBOM has each package of the bundle, and those that packages of mcr include. */
function checkSbom(project) {
  const { inputs } = JSON.parse(readFileSync(join(project, 'dist', 'meta.json'), 'utf8'));
  const { components } = JSON.parse(readFileSync(join(project, 'dist', 'sbom.json'), 'utf8'));
  const listed = new Set(components.map(({ name }) => name));
  const names = Object.keys(inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/[^:]*$/u.exec(path)?.[1] ?? [],
  );
  const expected = new Set([...names, 'yaml', 'prom-client']);
  const missing = [...expected].filter((name) => !listed.has(name));
  if (missing.length > 0) throw new Error(`the SBOM lacks ${missing.join(', ')}, which the bundle holds`);
}

/** Returns the config of the project on ports that are free here. In a Pod, the default ports are free. */
function configWith([health, metrics, webhook]) {
  const env = {
    HEALTH_ADDRESS: `:${health}`,
    METRICS_ADDRESS: `127.0.0.1:${metrics}`,
    WEBHOOK_ADDRESS: `:${webhook}`,
    WEBHOOK_URL: `https://localhost:${webhook}`,
  };
  const changes = JSON.stringify({ webhooks: { port: webhook }, deploy: { env } });
  return `import config from './mcr.config.ts';\nexport default { ...config, ...${changes} };\n`;
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, 'close')));
  return ports;
}
