import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Redactor } from './redactor.ts';

fc.configureGlobal({ seed: 1 });

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ+/=';
const redactor = new Redactor({ credentials: [TOKEN, 'a "q" <&>\n\\x', 'tiny'] });

const each = (text: string, escape: (code: string) => string) =>
  Array.from(text, (character) => escape((character.codePointAt(0) ?? 0).toString(16).padStart(2, '0'))).join('');

/** Forms in which programs print a text. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'as is': (text) => text,
  'inside a word': (text) => `x${text}y`,
  'before a full stop': (text) => `${text}.`,
  'as JSON': (text) => JSON.stringify(text),
  'as JSON within JSON': (text) => JSON.stringify(JSON.stringify({ text })),
  'as JSON that escapes slashes': (text) => text.replaceAll('/', '\\/').replaceAll('=', '\\u003d'),
  'as JSON with every character escaped': (text) => each(text, (code) => `\\u00${code}`),
  'in a URL': (text) => encodeURIComponent(text),
  'in a URL, with every character escaped': (text) => each(text, (code) => `%${code}`),
  'in a URL within a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in HTML': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('=', '&#61;'),
  'in HTML, with every character escaped': (text) => each(text, (code) => `&#x${code};`),
  'as in C': (text) => each(text, (code) => `\\x${code}`),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64, after one character': (text) => Buffer.from(`u${text}:x`).toString('base64'),
  'in base64, after two characters': (text) => Buffer.from(`me${text}`).toString('base64url'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in upper case hexadecimal': (text) => Buffer.from(text).toString('hex').toUpperCase(),
};

/** Returns a text together with the texts that decoding it yields. */
function readable(text: string): string {
  const once = text
    .replaceAll(/(?:\\u00|\\x|%|&#x)([\da-f]{2});?/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll('\\/', '/')
    .replaceAll('&#61;', '=');
  return `${text} ${once} ${Buffer.from(text.replaceAll(/[^\w+/-]/g, ''), 'base64').toString('latin1')} ${Buffer.from(text, 'hex').toString('latin1')}`;
}

const partsOf = (text: string) =>
  Array.from({ length: Math.max(1, text.length - 7) }, (_, at) => text.slice(at, at + 8));

describe('a redactor', () => {
  it.each(Object.entries(FORMS))('S-13: removes a token that is printed %s', (_, write) => {
    const redacted = redactor.redact(`no session for ${write(TOKEN)} in eu-west-1`);
    expect(redacted).toMatch(/^no session for .*\[redacted\].* in eu-west-1$/);
    for (const part of partsOf(TOKEN)) expect(readable(redacted)).not.toContain(part);
  });

  it.each(Object.entries(FORMS))('S-13: removes any credential that is printed %s', (_, write) => {
    const credential = fc.string({
      unit: fc.constantFrom(...Array.from('abXY09-_.~+/=:"\'\\%&<> ')),
      minLength: 8,
      maxLength: 60,
    });
    fc.assert(
      fc.property(credential, (secret) => {
        const redacted = new Redactor({ credentials: [secret] }).redact(`${write(secret)}\n${write('!!!!')}`);
        for (const part of partsOf(secret)) expect(redacted).not.toContain(part);
      }),
      { numRuns: 100 },
    );
  });

  it('S-13: removes parts of a credential of at least 8 characters', () => {
    expect(redactor.redact(`got ${TOKEN.slice(5, 13)}…`)).toBe('got [redacted]…');
    expect(redactor.redact(`${TOKEN.slice(0, 20)}\n${TOKEN.slice(20, 40)}`)).toBe('[redacted]\n[redacted]');
    expect(redactor.redact('TINY tiny.')).toBe('TINY [redacted].');
  });

  it('S-13: redacts the whole text if it contains a credential of fewer than 4 characters', () => {
    const short = new Redactor({ credentials: ['abc', ''] });
    expect(short.redact('the token is abc')).toBe('[redacted]');
    expect(short.redact('the token is %61bc')).toBe('[redacted]');
    expect(short.redact('the token is not shown')).toBe('the token is not shown');
  });

  it('removes other values only as a whole', () => {
    const values = new Redactor({ values: ['--cluster-name', 'eu'] });
    expect(values.redact('unknown option --cluster-name')).toBe('unknown option [redacted]');
    expect(values.redact('no cluster-name in eu')).toBe('no cluster-name in eu');
  });

  it('S-13: redacts 64 KiB with many credentials in far less than a second', () => {
    const credentials = Array.from({ length: 20 }, (_, index) =>
      createHash('shake256', { outputLength: 1_200 }).update(String(index)).digest('base64'),
    );
    const text = credentials
      .join(String.raw`\u0041`)
      .repeat(2)
      .slice(0, 64 * 1024);
    const many = new Redactor({ credentials });
    const before = process.threadCpuUsage();
    expect(many.redact(text)).toMatch(/^(\[redacted\]|\\u0041)+.{0,8}$/);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('S-13: removes overlapping occurrences of a value', () => {
    const values = new Redactor({ values: ['abab', 'xyxyxyxyxyxyxyxyxyxyx'] });
    expect(values.redact('-abababa-ababab-ab-')).toBe('-[redacted]a-[redacted]-ab-');
    expect(values.redact(`-${'xy'.repeat(20)}-`)).toBe('-[redacted]y-');
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 80 });
    const secret = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 20 });
    fc.assert(
      fc.property(text, secret, (each, value) => {
        let hidden = '';
        for (let at = 0; at < each.length; at += 1) {
          const isHidden = Array.from({ length: value.length }, (_, before) => at - before).some(
            (start) => start >= 0 && each.startsWith(value, start),
          );
          hidden += isHidden ? '#' : each.charAt(at);
        }
        expect(new Redactor({ values: [value] }).redact(each)).toBe(hidden.replaceAll(/#+/g, '[redacted]'));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, string, string]>([
    ['a periodic secret', 'a'.repeat(32_000), 'a'.repeat(65_000)],
    ['a secret that almost matches at each position', `b${'a'.repeat(32_000)}`, 'a'.repeat(65_000)],
    ['a secret with two equal halves', `${'a'.repeat(16_000)}b${'a'.repeat(16_000)}`, 'a'.repeat(65_000)],
    ['a secret with a longer period', 'abcabcab'.repeat(4_000), 'abcabcab'.repeat(8_000)],
    ['a periodic secret, escaped', 'a'.repeat(32_000), `${'a'.repeat(65_000)}\\n%41&amp;`],
    ['parts of the end of a secret', `${'a'.repeat(32_000)}bcdefgh`, 'abcdefgh-'.repeat(7_000)],
  ])('S-15: finds %s in linear time', (_, secret, text) => {
    const hostile = new Redactor({ credentials: [secret], values: [secret] });
    const before = process.threadCpuUsage();
    expect(hostile.redact(text)).toContain('[redacted]');
    // Quadratic time would be seconds.
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('leaves a text without secrets as is', () => {
    const text = 'plain 100% \\d \\u00e4 &nbsp; &amp; %zz \\';
    expect(redactor.redact(text)).toBe(text);
    expect(new Redactor({}).redact(text)).toBe(text);
    expect(redactor.redact('')).toBe('');
  });
});
