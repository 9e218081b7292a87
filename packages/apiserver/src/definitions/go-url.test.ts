import { describe, expect, it } from '@jest/globals';
import { parseGoUrl } from './go-url.ts';

/** Texts, and the errors that kube-apiserver v1.35.4 reports about them. */
const INVALID: readonly (readonly [string, string])[] = [
  ['https://foo bar:1/x', 'parse "https://foo bar:1/x": invalid character " " in host name'],
  ['https://foo:bar/x', 'parse "https://foo:bar/x": invalid port ":bar" after host'],
  ['https://[::1/x', 'parse "https://[::1/x": missing \']\' in host'],
  ['https://a%zz/x', 'parse "https://a%zz/x": invalid URL escape "%zz"'],
  ['https://h/%zz', 'parse "https://h/%zz": invalid URL escape "%zz"'],
  [String.raw`https://a\b/x`, String.raw`parse "https://a\\b/x": invalid character "\\" in host name`],
  ['https://a%41b/', 'parse "https://a%41b/": invalid URL escape "%41"'],
  ['https://[fe80::1%en0]/', 'parse "https://[fe80::1%en0]/": invalid URL escape "%en"'],
  ['https://[::1]x/', 'parse "https://[::1]x/": invalid port "x" after host'],
  ['https://u ser@h/', 'parse "https://u ser@h/": net/url: invalid userinfo'],
  ['https://h/\u0001', String.raw`parse "https://h/\x01": net/url: invalid control character in URL`],
  [':x', 'parse ":x": missing protocol scheme'],
  ['https://h#%zz', 'parse "https://h#%zz": invalid URL escape "%zz"'],
  ['1https://h', 'parse "1https://h": first path segment in URL cannot contain colon'],
  ['https://a[b/', 'parse "https://a[b/": invalid IP-literal'],
  ['https://[]/', 'parse "https://[]/": invalid host: ParseAddr(""): unable to parse IP'],
  ['https://a%2/', 'parse "https://a%2/": invalid URL escape "%2"'],
];

describe('URLs of webhooks', () => {
  it.each(INVALID)('K-27: refuses %j as Go does', (text, message) => {
    expect(() => parseGoUrl(text)).toThrow(new Error(message));
  });

  it('K-27: reads the parts of a URL as Go does', () => {
    const read = (text: string): unknown[] => {
      const { scheme, user, host, query, fragment } = parseGoUrl(text);
      return [scheme, user, host, query, fragment];
    };
    expect(read('HTTPS://u:p@h:80/a b?c=d#e')).toEqual(['https', 'u:p', 'h:80', 'c=d', 'e']);
    expect(read('https://h:80:90/')).toEqual(['https', undefined, 'h:80:90', '', '']);
    expect(read('https://[fe80::1%25en0]:1/')).toEqual(['https', undefined, '[fe80::1%25en0]:1', '', '']);
    expect(read('//h/x')).toEqual(['', undefined, 'h', '', '']);
    expect(read('mailto:a@b')).toEqual(['mailto', undefined, '', '', '']);
    expect(read('https:///x')).toEqual(['https', undefined, '', '', '']);
    expect(read('')).toEqual(['', undefined, '', '', '']);
  });
});
