import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
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
