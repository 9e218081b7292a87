import { execFileSync } from 'node:child_process';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseKubeconfig } from './kubeconfig.ts';
import { errorOf, kubeconfig } from './kubeconfig.fixture.ts';

describe('the text of a kubeconfig', () => {
  it.each([
    ['untrusted', 262_144],
    ['trusted', 1_048_576],
  ] as const)('S-6: with the policy %s, refuses a text of more than %d bytes', (policy, bytes) => {
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
  ])('S-6: does not start to parse 256 KiB of %j', (part) => {
    const text = `a: ${part.repeat(256 * 1024)}`.slice(0, 256 * 1024);
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: has more than 750 punctuation marks and line breaks: keep a single cluster, which needs fewer than 100',
    );
  });

  it.each([
    '? '.repeat(700),
    '?\n'.repeat(300),
    '?\t'.repeat(300),
    ' ?'.repeat(700),
    `[${'? '.repeat(700)}`,
    `[${'?['.repeat(300)}`,
    `- ${'? - '.repeat(300)}`,
    '? - - - -',
    'a: b\n?',
  ])('S-15: refuses explicit keys in an untrusted text: %#', (text) => {
    const before = process.threadCpuUsage();
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: has a question mark before a space, which starts an explicit key: write `key: value`',
    );
    expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
  });

  it('accepts question marks in an untrusted text that are not explicit keys', () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', installHint: 'not there? get it' };
    const text = kubeconfig({ cluster: { server: 'https://h:6443/?a' }, user: { exec } });
    const options = { policy: 'untrusted', allow: ['exec'], allowedCommands: [{ command: 'aws', args: [] }] } as const;
    expect(() => parseKubeconfig(text, options)).not.toThrow(/question mark/);
  });

  it('S-15: parses any accepted text in a fraction of a second', () => {
    // Runs in a separate process: the parser creates many errors, which are several times as expensive under Jest.
    const program = String.raw`
      import { parseKubeconfig } from ${JSON.stringify(new URL('kubeconfig.ts', import.meta.url).href)};
      const marksOf = (text) => text.replaceAll(/[\w+/=. ]+/g, '').length;
      const takes = (text) => {
        const before = process.threadCpuUsage();
        let refused = false;
        try { parseKubeconfig(text, { policy: 'untrusted' }); }
        catch (error) { refused = /larger|more than|question/.test(error.message); }
        const { user, system } = process.threadCpuUsage(before);
        return refused ? NaN : (user + system) / 1000;
      };
      let worst = { ms: 0, text: '' };
      const measure = (text) => {
        const ms = Math.min(takes(text), takes(text), takes(text));
        if (ms > worst.ms) worst = { ms, text: text.slice(0, 40) };
        return Number.isNaN(ms);
      };
      for (const start of ['', '{', 'a: |\n']) {
        for (const part of ['a: ', '[', '{a,', '*a ', 'a: b', 'a:\n  b\n', '- a:\n', 'x .']) {
          const structure = start + part.repeat(740 / Math.max(1, marksOf(part)));
          // Except for structure, double-quoted text takes the most time to parse.
          const text = structure + '\n"' + 'x .'.repeat((262_100 - structure.length) / 3) + '"';
          if (measure(text)) throw new Error('refused: ' + start + part);
        }
      }
      // Repeats random indicators, on one line or with growing indentation, as often as the limits accept.
      let seed = 1;
      const below = (bound) => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((seed / 2 ** 32) * bound);
      };
      const words = [...'?:- \n[]{},&*!|>\'"%@#<~\t\r\\a1', ': ', '- ', '!!binary ', '!!float ', '!!timestamp ', '<<: ',
        '---\n', '...\n', '%YAML 1.1\n', '2001-01-01 ', '1e9 ', '&a ', '*a ', '!<a> ', '\u2028'];
      const starts = ['', '- ', 'a: ', '[', '{', 'a: |\n ', 'a: >\n ', '"', "'", '%', '# ', '!'];
      for (let run = 0; run < 250; run += 1) {
        const part = Array.from({ length: 1 + below(4) }, () => words[below(words.length)]).join('');
        const start = starts[below(starts.length)];
        const isIndented = below(4) === 0;
        const perPart = marksOf(part) + (isIndented ? 1 : 0);
        const count = perPart > 0 ? Math.floor(740 / perPart) : Math.floor(262_000 / part.length);
        if (isIndented) {
          const lines = Array.from({ length: count }, (_, level) => '\n' + ' '.repeat(level % 700) + part);
          measure(start + lines.join('').slice(0, 262_000));
        } else {
          measure(start + part.repeat(count));
        }
      }
      console.log(JSON.stringify(worst));
    `;
    const output = execFileSync(
      process.execPath,
      ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { encoding: 'utf8', timeout: 150_000 },
    );
    const worst = JSON.parse(output) as { ms: number; text: string };
    // Processor time on a slow machine; on a fast one it is less than 50 ms. The faults that this test looks for take seconds.
    const limit = 500;
    expect({ ...worst, ms: Math.max(worst.ms, limit) }).toEqual({ ...worst, ms: limit });
  });

  it('S-6: refuses aliases that expand exponentially, and deep nesting', () => {
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

  it('S-6: treats the names __proto__ and constructor as plain data', () => {
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

  it('S-4: reports the line of invalid YAML without quoting it', () => {
    const error = errorOf(() => parseKubeconfig('a: b\nusers: [canary\n  "canary', { policy: 'trusted' }));
    expect(error.message).toMatch(/^kubeconfig: is not valid YAML at line \d/);
    expect(inspect(error)).not.toContain('canary');
    expect(errorOf(() => parseKubeconfig(' \n', { policy: 'trusted' })).message).toBe('kubeconfig: is empty');
    expect(errorOf(() => parseKubeconfig('canary', { policy: 'trusted' })).message).toBe(
      'kubeconfig: is not a kubeconfig: expected the fields clusters, contexts and users',
    );
  });
});
