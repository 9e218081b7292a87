import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './published-packages.mjs';

const directory = join(root, '.github', 'workflows');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scenarios = readFileSync(join(root, 'e2e', 'src', 'cli', 'catalogue.ts'), 'utf8');

/** Commands that install a tool, or pass a value to later steps. All others are scripts of the project. */
const SETUP = [
  /^go install \S+@\S+$/u,
  /^rustup toolchain install \S+ --profile minimal$/u,
  /^npx --yes pnpm@\S+ install --frozen-lockfile$/u,
  /^(?:assets=\$\(go run \S+ use \S+ --print path\))$/u,
  /^echo ".*" >> "\$GITHUB_(?:PATH|ENV)"$/u,
];

/** Returns the commands of all workflows, each with the file and the job. */
function commands() {
  return readdirSync(directory).flatMap((file) => {
    const { jobs } = parse(readFileSync(join(directory, file), 'utf8'));
    return Object.entries(jobs).flatMap(([job, { steps }]) =>
      steps.flatMap(({ run = '' }) =>
        run
          .split('\n')
          .filter((line) => line !== '')
          .map((command) => ({ file, job, command })),
      ),
    );
  });
}

/** Returns the script that a command runs: the name of one in package.json, or a file. */
function scriptOf(command) {
  const [, name] = /^(?:npm run|npx --yes pnpm@\S+(?: --silent)?) (\S+)/u.exec(command) ?? [];
  if (name !== undefined) return Object.hasOwn(scripts, name) ? name : undefined;
  if (command.startsWith('npm test')) return 'test';
  const [file] = /(?:\.ci|scripts|node_modules)\/\S+/u.exec(command) ?? [];
  return file !== undefined && existsSync(join(root, file)) ? file : undefined;
}

describe('the workflows', () => {
  it.each(commands())('WB-14: $file, $job: a person can run $command', ({ command }) => {
    if (!SETUP.some((pattern) => pattern.test(command))) expect(scriptOf(command)).toEqual(expect.any(String));
    for (const [, argument] of command.matchAll(/ ((?:packages|scripts)\/\S+)/gu))
      expect(existsSync(join(root, argument))).toBe(true);
    const [, names = ''] = /^npm run e2e -- (?:--backend \w+ )?((?:[a-z][a-z-]* ?)+)$/u.exec(command) ?? [];
    for (const name of names.split(' ').filter((word) => word !== '' && word !== 'clean'))
      expect(scenarios).toContain(`name: '${name}'`);
  });

  it('WB-14: limit the time of every job, and ask for no permission that they do not need', () => {
    for (const file of readdirSync(directory)) {
      const { permissions, jobs } = parse(readFileSync(join(directory, file), 'utf8'));
      expect({ file, permissions }).toEqual({ file, permissions: { contents: 'read' } });
      for (const [job, settings] of Object.entries(jobs))
        expect({ file, job, limit: settings['timeout-minutes'] }).toEqual({ file, job, limit: expect.any(Number) });
    }
  });
});

describe('the workflow release', () => {
  it('checks the tarballs that it uploads, and packs none afterwards', () => {
    const workflow = readFileSync(join(directory, 'release.yml'), 'utf8');
    const [pack] = workflow.split(/^ {2}publish:$/mu);
    const commands = [...pack.matchAll(/^ +- (?:run|uses): (.+)$/gmu)].map(([, command]) => command).slice(2);
    expect(commands).toEqual([
      'node scripts/removed-api.mjs',
      'npm run release -- --dry-run --out release',
      'npm run check:packages -- --from release',
      'actions/upload-artifact@v4',
    ]);
    expect(pack).toContain('path: release/*.tgz');
  });
});

describe('the workflow site', () => {
  const workflow = parse(readFileSync(join(root, '.github', 'workflows', 'site.yml'), 'utf8'));

  it('WB-12: builds and tests the site after a release, without the right to write', () => {
    const { build } = workflow.jobs;
    expect(workflow.on.workflow_run).toEqual({ workflows: ['release'], types: ['completed'] });
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(build.permissions).toBeUndefined();
    expect(build.steps.flatMap(({ run }) => run ?? []).slice(-2)).toEqual(['npm run site', 'npm run e2e -- site']);
  });

  it('WB-12: publishes with a job that runs git alone', () => {
    const { publish } = workflow.jobs;
    expect(publish.needs).toBe('build');
    expect(publish.steps.flatMap(({ run }) => run ?? [])).toEqual(['scripts/site/publish.sh "$RUNNER_TEMP/site"']);
    const lines = readFileSync(join(root, 'scripts', 'site', 'publish.sh'), 'utf8').split('\n');
    const commands = lines.slice(lines.findIndex((line) => line.startsWith('cd ')) + 1).filter((line) => line !== '');
    expect([...new Set(commands.map((command) => command.split(' ')[0]))]).toEqual(['git', 'cp']);
  });
});
