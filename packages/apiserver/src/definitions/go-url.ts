import { isIPv4, isIPv6 } from 'node:net';
import { goQuote } from '../go-quote.ts';

/** Parts of a URL as Go's `net/url` reads them. */
export interface GoUrl {
  readonly scheme: string;
  /** Absent without user information. */
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** A text that is not a URL. The message is that of Go's `url.Parse`. */
export class GoUrlError extends Error {
  override readonly name = 'GoUrlError';
}

/** Characters of a host that need no escape. */
const HOST = /^[-A-Za-z0-9!$&'()*+,;=:[\]<>"_.~\u0080-\u{10ffff}%]*$/u;
const USER = /^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/u;
const PORT = /^(?::\d*)?$/u;

/** Parses a URL as Go's `url.Parse` does. @throws {GoUrlError} */
export function parseGoUrl(text: string): GoUrl {
  const [url, fragment] = cut(text, '#');
  const parsed = named(url, () => parse(url));
  named(text, () => checkEscapes(fragment));
  return { ...parsed, fragment };
}

function named<T>(url: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof GoUrlError) throw new GoUrlError(`parse ${goQuote(url)}: ${error.message}`);
    throw error;
  }
}

function parse(text: string): Omit<GoUrl, 'fragment'> {
  // eslint-disable-next-line no-control-regex -- Go refuses control characters.
  if (/[\u0000-\u001f\u007f]/u.test(text)) throw new GoUrlError('net/url: invalid control character in URL');
  const nothing = { scheme: '', user: undefined, host: '', query: '' };
  if (text === '*') return nothing;
  if (text.startsWith(':')) throw new GoUrlError('missing protocol scheme');
  const [, given] = /^([a-z][-a-z0-9+.]*):/iu.exec(text) ?? [];
  const scheme = (given ?? '').toLowerCase();
  const [rest, query] = cut(given === undefined ? text : text.slice(given.length + 1), '?');
  const read = { ...nothing, scheme, query };
  if (!rest.startsWith('/')) {
    // The rest of a URL such as `mailto:a@b` has no parts.
    if (scheme !== '') return read;
    if (cut(rest, '/')[0].includes(':')) throw new GoUrlError('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  if (!hasAuthority) {
    checkEscapes(rest);
    return read;
  }
  const [authority] = cut(rest.slice(2), '/');
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  checkHost(host);
  const user = at < 0 ? undefined : authority.slice(0, at);
  if (user !== undefined) checkUser(user);
  checkEscapes(rest.slice(2 + authority.length));
  return { ...read, user, host };
}

/** Returns the text before the first separator, and the text after it. */
function cut(text: string, separator: string): readonly [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}

function checkUser(user: string): void {
  if (!USER.test(user)) throw new GoUrlError('net/url: invalid userinfo');
  checkEscapes(user);
}

function checkHost(host: string): void {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new GoUrlError('invalid IP-literal');
  if (open < 0) {
    const colon = host.lastIndexOf(':');
    if (colon >= 0) checkPort(host.slice(colon));
    checkHostText(host);
    return;
  }
  const close = host.lastIndexOf(']');
  if (close < 0) throw new GoUrlError("missing ']' in host");
  checkPort(host.slice(close + 1));
  const [address, zone] = cut(host.slice(1, close), '%25');
  checkHostText(address);
  if (isIPv4(address)) throw new GoUrlError('invalid IP-literal');
  if (!isIPv6(address) || (zone === '' && host.includes('%25'))) {
    throw new GoUrlError(`invalid host: ParseAddr(${goQuote(address)}): unable to parse IP`);
  }
}

function checkPort(port: string): void {
  if (!PORT.test(port)) throw new GoUrlError(`invalid port ${goQuote(port)} after host`);
}

/** A host can escape only bytes outside of ASCII. */
function checkHostText(host: string): void {
  let offset = 0;
  for (const character of host) {
    const escape = host.slice(offset, offset + 3);
    if (character === '%' && !/^%[89a-f][0-9a-f]$/iu.test(escape)) throw invalidEscape(escape);
    if (!HOST.test(character)) throw new GoUrlError(`invalid character ${goQuote(character)} in host name`);
    offset += character.length;
  }
}

function checkEscapes(text: string): void {
  const [wrong] = /%(?![0-9a-f]{2}).{0,2}/isu.exec(text) ?? [];
  if (wrong !== undefined) throw invalidEscape(wrong);
}

function invalidEscape(escape: string): GoUrlError {
  return new GoUrlError(`invalid URL escape ${goQuote(escape)}`);
}
