import { BlockList, isIP } from 'node:net';
import type { ClusterConfig } from './cluster-config.ts';
import { addTo, holds, hostOf } from './endpoint-guard.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { printable } from './redaction.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `config`, by way of the proxy that `HTTPS_PROXY` (of an `http://` server: `HTTP_PROXY`) names unless `NO_PROXY` lists
 * the server. A proxy of the config's own goes first. (Upstream: Go's `http.ProxyFromEnvironment`, which client-go uses.)
 *
 * @throws {KubeconfigError} when the variable holds no URL of a proxy.
 */
export function withEnvironmentProxy(config: ClusterConfig, env: Environment): ClusterConfig {
  const server = new URL(config.server);
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = valueOf(env, name);
  if (config.proxyUrl !== undefined || value === '' || bypasses(valueOf(env, 'NO_PROXY'), server)) return config;
  const proxyUrl = value.includes('://') ? value : `http://${value}`;
  if (!isProxyUrl(proxyUrl)) {
    throw new KubeconfigError(`is no URL of a proxy: expected ${PROXY_SCHEMES}`, { field: `$${name}` });
  }
  return printable({ ...config, proxyUrl });
}

/** For messages. */
export const PROXY_SCHEMES = 'one that begins with http://, https://, socks5:// or socks5h://';

export function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.hostname !== '' && /^(https?|socks5h?):$/.test(url.protocol);
}

function valueOf(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

/** Whether `list`, the value of `NO_PROXY`, has the server. This machine is always reached directly. */
function bypasses(list: string, server: URL): boolean {
  const { protocol, port } = server;
  const host = hostOf(server).replace(/\.$/, '');
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  if (host === 'localhost') return true;
  return [...LOOPBACK, ...list.split(',')].some((entry) => covers(entry.trim().toLowerCase(), host, effectivePort));
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** An entry is `*`, an address, a CIDR block, or a domain: with a dot in front its subdomains only. A port may follow. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const block = new BlockList();
  if (addTo(block, entry)) return holds(block, host);
  const { name = '', entryPort } = /^\[?(?<name>.*?)\]?(?::(?<entryPort>\d+))?$/.exec(entry)?.groups ?? {};
  if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
  if (isIP(name)) return addTo(block, name) && holds(block, host);
  const domain = name.replace(/^\*(?=\.)/, '');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}
