import { execFileSync } from 'node:child_process';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseKubeconfig } from './kubeconfig.ts';
import { errorOf, kubeconfig } from './kubeconfig.fixture.ts';

describe('the text of a kubeconfig', () => {
  it.each([
    ['untrusted', 262_144],
    ['trusted', 1_048_576],
  ] as const)('S-6: refuses an %s text of more than %d bytes', (policy, bytes) => {
    const text = (length: number) => kubeconfig({ top: { comment: 'x'.repeat(length) } });
    expect(errorOf(() => parseKubeconfig(text(bytes), { policy })).message).toBe(
      `kubeconfig: is larger than ${bytes} bytes`,
    );
    expect(parseKubeconfig(text(bytes - 1_000), { policy }).server).toBe('https://h:6443');
  });

  it.each([
    'a: ',
    '- ',
    '[',
    ']',
    '{a: b,',
    '! ',
    '&a ',
    '? ',
    '"" ',
    '#\n',
    '\n',
    '%a\n',
    '---\n',
    'a: b\n',
    '- a:\n',
  ])('S-6: does not begin to parse 256 KiB of %j', (part) => {
    const text = `a: ${part.repeat(256 * 1024)}`.slice(0, 256 * 1024);
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: has more than 750 punctuation marks and line breaks: keep one cluster in it, which takes fewer than 100',
    );
  });

  it('S-15: parses the worst text that is accepted in less than 50 ms', () => {
    // In a process of its own, because Jest makes errors, of which the parser makes many, several times as expensive.
    const program = String.raw`
      import { parseKubeconfig } from ${JSON.stringify(new URL('kubeconfig.ts', import.meta.url).href)};
      const worst = [];
      for (const start of ['', '{', 'a: |\n']) {
        for (const part of ['a: ', '[', '{a,', '*a ', 'a: b', 'a:\n  b\n', '- a:\n', 'x .']) {
          const marks = part.replaceAll(/[\w+/=. ]+/g, '').length;
          const structure = start + part.repeat(marks > 0 ? 740 / marks : 1);
          // Double-quoted text takes the most time of what is not structure.
          const text = structure + '\n"' + 'x .'.repeat((262_100 - structure.length) / 3) + '"';
          const takes = [1, 2].map(() => {
            const before = process.threadCpuUsage();
            let refused = false;
            try { parseKubeconfig(text, { policy: 'untrusted' }); } catch (error) { refused = /larger|more than/.test(error.message); }
            const { user, system } = process.threadCpuUsage(before);
            return refused ? Infinity : (user + system) / 1000;
          });
          worst.push(Math.min(...takes));
        }
      }
      console.log(Math.max(...worst));
    `;
    const took = execFileSync(
      process.execPath,
      ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    );
    expect(Number(took)).toBeLessThan(50);
  });

  it('S-6: refuses aliases that multiply, and nesting without end', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    for (const text of [
      lines.join('\n'),
      '['.repeat(20_000),
      '- '.repeat(20_000),
      `${'{a: '.repeat(2_000)}b${'}'.repeat(2_000)}`,
    ]) {
      expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toMatch(/^kubeconfig: /);
    }
  });

  it('S-6: keeps the names __proto__ and constructor plain data', () => {
    const text = kubeconfig()
      .replaceAll('"c"', '"__proto__"')
      .replaceAll('"k"', '"constructor"')
      .replace('"token"', '"__proto__":{"polluted":1},"token"');
    expect(parseKubeconfig(text, { policy: 'untrusted' })).toEqual({
      server: 'https://h:6443',
      auth: { type: 'token', token: 'canary' },
      endpoints: { metadataAddresses: false },
    });
    expect({}).not.toHaveProperty('polluted');
    expect(
      errorOf(() => parseKubeconfig(kubeconfig({ context: { cluster: 'toString' } }), { policy: 'untrusted' })).field,
    ).toBe('contexts[0].context.cluster');
  });

  it('S-4: names the line of text that is not YAML, and shows nothing of it', () => {
    const error = errorOf(() => parseKubeconfig('a: b\nusers: [canary\n  "canary', { policy: 'trusted' }));
    expect(error.message).toMatch(/^kubeconfig: is not valid YAML at line \d/);
    expect(inspect(error)).not.toContain('canary');
    expect(errorOf(() => parseKubeconfig(' \n', { policy: 'trusted' })).message).toBe('kubeconfig: is empty');
    expect(errorOf(() => parseKubeconfig('canary', { policy: 'trusted' })).message).toBe(
      'kubeconfig: is no kubeconfig: expected the fields clusters, contexts and users',
    );
  });
});
