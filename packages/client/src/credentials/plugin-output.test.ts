import { describe, expect, it } from '@jest/globals';
import { secretsIn, shownErrorOutput } from './plugin-output.ts';

const credential = (status: object) =>
  JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });

/** Returns the shown error output of a plugin that printed `stdout`. */
function shown(text: string, stdout: string, { given = [] as readonly string[], isCut = false } = {}): string {
  return shownErrorOutput({ text, isCut }, { secrets: secretsIn(stdout), given });
}

describe('the error output of a plugin', () => {
  it('S-13: is shown without strings, numbers and unknown field names of the output', () => {
    const stdout = credential({
      token: 'canary-token',
      'canary-field': [12345678901234567890n.toString(), { x: 'canary-x' }],
    });
    const numbers = stdout.replace('"12345678901234567890"', '12345678901234567890');
    expect(shown('canary-token, canary-field, 12345678901234567890; canary-x.', numbers)).toBe(
      '[redacted], [redacted], [redacted]; [redacted].',
    );
  });

  it('S-13: is shown with the names of the protocol', () => {
    const text = 'ExecCredential of client.authentication.k8s.io/v1 has no status.token';
    expect(shown(text, credential({ token: 'canary-token' }))).toBe(text);
    expect(shown(text, '')).toBe(text);
  });

  it.each([
    ['is not JSON', 'token=abc'],
    ['is truncated JSON', credential({ token: 'abc' }).slice(0, -1)],
    ['contains two values', `${credential({ token: 'abc' })} {}`],
    ['is too large', JSON.stringify('x'.repeat(70_000))],
  ])('S-13: is not shown if the output %s', (_, stdout) => {
    expect(shown('the token is abc', stdout)).toBe(
      'its error output is not shown, because its standard output may contain credentials and cannot be parsed: run the plugin by hand',
    );
    expect(shown(' \n', stdout)).toBe('');
  });

  it('S-13: is redacted before it is cut', () => {
    const token = 'canary-'.repeat(50);
    const stdout = credential({ token });
    // The last 768 characters begin with the end of the token.
    const text = `${token}${'x'.repeat(762)}`;
    expect(shown(text, stdout)).toMatch(/^\w*\]x{762}$/);
    // The beginning of the token was cut off.
    for (let length = 1; length <= 12; length += 1) {
      expect(shown(`${token.slice(-length)} and ${'x'.repeat(2_000)}`, stdout, { isCut: true })).toMatch(/^x+$/);
    }
  });

  it('S-13: is shown without the arguments of the plugin, nor their values after a "="', () => {
    const given = ['get-token', '--secret=canary-a', 'eu'];
    expect(shown('cannot get-token of eu with canary-a', '', { given })).toBe(
      'cannot [redacted] of eu with [redacted]',
    );
  });
});
