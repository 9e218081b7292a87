import { isIP } from 'node:net';
import * as z from 'zod';
import { dnsLabelErrors } from '../resources/names.ts';

/** Address as `host:port` of each Service, by `<namespace>/<name>`. */
export type ServiceAddresses = Readonly<Record<string, string>>;

/** Where the connections to a Service go. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** The host is a name or an IPv4 address, or an IPv6 address in brackets. */
const ADDRESS = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):([0-9]{1,5})$/iu;
const LARGEST_PORT = 65_535;

function parseAddress(text: string): ServiceAddress | undefined {
  const [, v6, name, digits] = ADDRESS.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || port === 0 || port > LARGEST_PORT || (v6 !== undefined && isIP(v6) === 0)) return undefined;
  return { host, port };
}

const isService = (key: string): boolean => {
  const parts = key.split('/');
  return parts.length === 2 && parts.every((part) => dnsLabelErrors(part).length === 0);
};

export const servicesSchema: z.ZodType<ServiceAddresses> = z.record(
  z.string().refine(isService, 'expected "<namespace>/<name>" of a Service as key'),
  z.string().refine((text) => parseAddress(text) !== undefined, 'expected "<host>:<port>", such as "127.0.0.1:9443"'),
);

/** Returns the addresses of Services by the host in the URLs of their webhooks. */
export function addressesByHost(services: ServiceAddresses = {}): ReadonlyMap<string, ServiceAddress> {
  const byHost = new Map<string, ServiceAddress>();
  for (const [key, text] of Object.entries(services)) {
    const [namespace = '', name = ''] = key.split('/');
    const address = parseAddress(text);
    if (address) byHost.set(`${name}.${namespace}.svc`, address);
  }
  return byHost;
}
