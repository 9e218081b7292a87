import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { ClusterConfig } from './cluster-config.ts';
import { addTo, holds, hostOf } from './endpoint-guard.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { printable } from './redaction.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns `config` with the proxy of `HTTPS_PROXY`, or of `HTTP_PROXY` for an `http://` server. Returns it as is if it
 * has a proxy, or if `NO_PROXY` lists the server. (Upstream: Go's `http.ProxyFromEnvironment`, which client-go uses.)
 *
 * @throws {KubeconfigError} if the value of the variable is not a proxy URL.
 */
export function withEnvironmentProxy(config: ClusterConfig, env: Environment): ClusterConfig {
  const server = new URL(config.server);
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = valueOf(env, name);
  if (config.proxyUrl !== undefined || value === '' || bypasses(valueOf(env, 'NO_PROXY'), server)) return config;
  const proxyUrl = value.includes('://') ? value : `http://${value}`;
  if (!isProxyUrl(proxyUrl)) {
    throw new KubeconfigError(`is not a proxy URL: expected ${PROXY_SCHEMES}`, { field: `$${name}` });
  }
  return printable({ ...config, proxyUrl });
}

/** Describes a valid proxy URL in errors. */
export const PROXY_SCHEMES = 'one that begins with http://, https://, socks5:// or socks5h://';

export function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.hostname !== '' && /^(https?|socks5h?):$/.test(url.protocol);
}

function valueOf(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

/**
 * Whether `list`, the value of `NO_PROXY`, contains the server. Loopback addresses never use a proxy. (Upstream: Go's
 * `golang.org/x/net/http/httpproxy`.)
 */
function bypasses(list: string, server: URL): boolean {
  const { protocol, port } = server;
  const host = hostOf(server);
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  if (host === 'localhost') return true;
  return [...LOOPBACK, ...list.split(',')].some((entry) => covers(entry.trim().toLowerCase(), host, effectivePort));
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Matches `name:port` and `[address]:port`. A text with another number of colons has no port. */
const WITH_PORT = /^(?:\[(?<address>[^\]]*)\]|(?<name>[^:]*)):(?<port>[^:]*)$/;

/**
 * Whether an entry of `NO_PROXY` matches a host and port. An entry is `*`, a CIDR block, an address or a domain. A
 * leading dot matches subdomains only. An address or a domain may have a port.
 */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const { address, name = address ?? entry, port: entryPort } = WITH_PORT.exec(entry)?.groups ?? {};
  if (name === '' || (entryPort && entryPort !== port)) return false;
  const block = new BlockList();
  // A CIDR block cannot have a port.
  if ((isIP(name) || name === entry) && addTo(block, name)) return holds(block, host);
  const domain = inAscii(name.replace(/^\*(?=\.)/, ''));
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

/** Converts a domain to ASCII, as URLs do. */
function inAscii(domain: string): string {
  return /^[\0-\x7f]*$/.test(domain) ? domain : domainToASCII(domain);
}
