import { BlockList, isIP } from 'node:net';

/** Listening address of a server. */
export interface BindAddress {
  /** The address as configured. */
  readonly text: string;
  /** Default: all interfaces. */
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port: number;
}

const PATTERN = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]*)):(?<port>\d{1,5})$/u;

/**
 * Parses `host:port`, `[ipv6]:port` or `:port`, as in Go. Returns `'nowhere'` for `'0'`, and `null` for anything else.
 */
export function parseBindAddress(text: string): BindAddress | 'nowhere' | null {
  if (text === '0') return 'nowhere';
  const { ipv6, host, port } = PATTERN.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) return null;
  const name = ipv6 ?? host;
  return { text, ...(name && { host: name }), port: Number(port) };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only programs on this machine can connect. */
export function isLoopback({ host }: BindAddress): boolean {
  return host !== undefined && isLoopbackHost(host);
}

/** Whether a name or an address is that of loopback. */
export function isLoopbackHost(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
