import { isIP, isIPv4, isIPv6 } from 'node:net';

/** Reports whether a date exists. The parser of JavaScript reads February 30 as March 1. */
function isDay(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** Formats of CustomResourceDefinitions that are validated. Other formats have no effect. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    isDay(text.slice(0, 10)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  duration: (text) => /^[+-]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h|d|w))+$/.test(text) || text === '0',
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) =>
    text.length <= 255 && /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*$/.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: (text) => {
    const [address = '', bits = '', ...more] = text.split('/');
    const family = isIP(address);
    return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  },
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text),
};

export function matchesFormat(format: string, text: string): boolean {
  const matches = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return matches?.(text) ?? true;
}

/** Formats of CustomResourceDefinitions, without dashes (upstream: `supportedVersionedFormats`). */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn ' +
    'hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname'
  ).split(' '),
);

/** Reports whether a real server knows a format. */
export function isKnownFormat(format: string): boolean {
  return KNOWN.has(format.replaceAll('-', ''));
}
