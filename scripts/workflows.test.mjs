import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './published-packages.mjs';

describe('the workflow release', () => {
  it('checks the tarballs that it uploads, and packs none afterwards', () => {
    const workflow = readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8');
    const [pack] = workflow.split(/^ {2}publish:$/mu);
    const commands = [...pack.matchAll(/^ +- (?:run|uses): (.+)$/gmu)].map(([, command]) => command).slice(2);
    expect(commands).toEqual([
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
    const commands = publish.steps.flatMap(({ run }) => run?.trim().split('\n') ?? []);
    expect([...new Set(commands.map((command) => command.split(' ')[0]))]).toEqual(['git', 'cp']);
  });
});
