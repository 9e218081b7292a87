import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseKubeconfig } from './kubeconfig.ts';
import { errorOf, kubeconfig } from './kubeconfig.fixture.ts';

describe('the text of a kubeconfig', () => {
  it('S-6: refuses a text of more than 1 MiB', () => {
    const text = kubeconfig({ top: { comment: 'x'.repeat(1024 * 1024) } });
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: is larger than 1048576 bytes',
    );
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
  ])('S-6: does not begin to parse a megabyte of %j', (part) => {
    const text = `a: ${part.repeat(1024 * 1024)}`.slice(0, 1024 * 1024);
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: holds more than 10000 marks, of which one cluster takes less than a hundred',
    );
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
