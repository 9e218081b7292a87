import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Timeout of the first try, in milliseconds. c-ares doubles it for the second try. */
const TIMEOUT = 2_000;
const TRIES = 2;

/** `localhost` and names below it are never sent to a name server (RFC 6761 section 6.3). */
const LOCALHOST = /(^|\.)localhost\.?$/i;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Queries the DNS for the IPv4 and then the IPv6 addresses of `name`, with c-ares, which needs no thread of libuv's
 * pool. It ignores `/etc/hosts`, `nsswitch.conf` and search domains.
 *
 * @param signal cancels the query.
 * @param servers `address:port` of name servers. Default: the system's.
 * @throws the error of the IPv4 query if neither query has an address; the signal's reason after an abort.
 */
export async function queryDns(
  name: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly LookupAddress[]> {
  signal.throwIfAborted();
  if (LOCALHOST.test(name)) return LOOPBACK;
  const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.throwIfAborted();
    const addresses = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
    if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function addressesOf(answer: PromiseSettledResult<readonly string[]>, family: 4 | 6): readonly LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
