import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

describe('import of the package', () => {
  it('P-12: does not load yaml before it is needed', () => {
    const program = `
      import { registerHooks } from 'node:module';
      const packages = new Set();
      registerHooks({
        resolve(specifier, context, next) {
          if (/^[@\\w]/.test(specifier) && !/^(node|file):/.test(specifier)) packages.add(specifier);
          return next(specifier, context);
        },
      });
      const { parseKubeconfig } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
      const before = packages.has('yaml');
      try { parseKubeconfig('a: b', { policy: 'trusted' }); } catch {}
      console.log(JSON.stringify({ before, after: packages.has('yaml') }));
    `;
    const printed = execFileSync(
      process.execPath,
      ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(printed)).toEqual({ before: false, after: true });
  });
});
