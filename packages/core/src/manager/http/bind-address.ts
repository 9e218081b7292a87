import { BlockList, isIP } from 'node:net';

/** Where a server listens. */
export interface BindAddress {
  /** As it was given. */
  readonly text: string;
  /** Unset: all interfaces. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
}

const PATTERN = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]*)):(?<port>\d{1,5})$/u;

/** `host:port`, `[ipv6]:port` or `:port`, as Go writes addresses; `'0'` is nowhere. `null`: it is none of these. */
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

/** Whether only programs on this machine reach it. */
export function isLoopback({ host }: BindAddress): boolean {
  if (host === undefined) return false;
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
