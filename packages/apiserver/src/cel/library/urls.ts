import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { EvaluationError, List, MapValue, Opaque } from '../values.ts';

/** A URL as Go's `url.ParseRequestURI` reads it: absolute, or an absolute path; without a fragment. */
export class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly scheme: string;
  /** Host and port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
    super();
    this.text = text;
    const fail = (reason: string): never => {
      throw new EvaluationError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${reason}`,
      );
    };
    if (text === '') {
      throw new EvaluationError('URL parse error during conversion from string: parse "": empty url');
    }
    // Go refuses control characters in a URL.
    if (/\p{Cc}/u.test(text)) fail('net/url: invalid control character in URL');
    const [, scheme = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text) ?? [];
    const rest = text.slice(scheme === '' ? 0 : scheme.length + 1);
    if (scheme === '' && text.startsWith(':')) fail('missing protocol scheme');
    if (!rest.startsWith('/')) fail('invalid URI for request');
    const [beforeQuery = '', ...queries] = rest.split('?');
    const hasAuthority = (scheme !== '' || !rest.startsWith('///')) && beforeQuery.startsWith('//') && scheme !== '';
    const [, authority = '', path = ''] = hasAuthority ? (/^\/\/([^/]*)(.*)$/s.exec(beforeQuery) ?? []) : [];
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    if (/ /.test(host)) fail(`invalid character " " in host name`);
    const [, port] = /^(?:\[[^\]]*\]|[^:]*)(:.*)?$/.exec(host) ?? [];
    if (port !== undefined && !/^:\d*$/.test(port)) fail(`invalid port ${JSON.stringify(port)} after host`);
    const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(beforeQuery);
    if (escape) fail(`invalid URL escape ${JSON.stringify(escape[0])}`);
    this.scheme = scheme.toLowerCase();
    this.host = host;
    this.path = hasAuthority ? path : beforeQuery;
    this.query = queries.join('?');
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && this.text === other.text;
  }

  get hostname(): string {
    const bracketed = /^\[([^\]]*)\]/.exec(this.host);
    return bracketed?.[1] ?? this.host.replace(/:\d*$/, '');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host.replace(/^\[[^\]]*\]/, ''))?.[1] ?? '';
  }
}

/** Escapes a path as Go's `URL.EscapedPath` does. */
function escapedPath({ path }: Url): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]/gu, encodeURIComponent);
}

function queryOf({ query }: Url): MapValue {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) values.set(key, [...(values.get(key) ?? []), value]);
  return new MapValue([...values].map(([key, list]) => [key, new List(list)] as const));
}

/** Kubernetes' functions for URLs. */
export const urlLibrary: readonly Overload[] = [
  overload('string_to_url url: (string)->url', (text: string) => new Url(text)),
  overload('is_url_string isURL: (string)->bool', (text: string) => {
    try {
      return new Url(text).text === text;
    } catch {
      return false;
    }
  }),
  overload('url_get_scheme getScheme: url.()->string', ({ scheme }: Url) => scheme),
  overload('url_get_host getHost: url.()->string', ({ host }: Url) => host),
  overload('url_get_hostname getHostname: url.()->string', ({ hostname }: Url) => hostname),
  overload('url_get_port getPort: url.()->string', ({ port }: Url) => port),
  overload('url_get_escaped_path getEscapedPath: url.()->string', escapedPath),
  overload('url_get_query getQuery: url.()->map(string,list(string))', queryOf),
];
