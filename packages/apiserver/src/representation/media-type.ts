import { PROTOBUF } from '../protobuf/codec.ts';

export const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

/** Media types of objects, most preferred first. The exchange converts JSON to YAML. */
export const SERVED_TYPES: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF];

type Parameters = Readonly<Record<string, string>>;

/** One alternative of an `Accept` header. */
export interface MediaRange {
  /** For example `application/json`, in lower case. */
  readonly type: string;
  /** For example `as`, `g`, `v`. */
  readonly parameters: Parameters;
}

/** Parses an `Accept` header, most preferred first. Without a header, every type is accepted. */
export function parseAccept(header: string | undefined): MediaRange[] {
  if (!header) return [{ type: '*/*', parameters: {} }];
  const ranges: MediaRange[] = [];
  for (const text of header.split(',')) {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = Object.fromEntries(
      rest.map((parameter) => {
        const equals = parameter.indexOf('=');
        return equals < 0 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
      }),
    );
    const range = { type: type.toLowerCase(), parameters };
    // The order of upstream (munnerz/goautoneg) is not transitive: only the same insertion sort gives the same order.
    let at = ranges.length;
    while (at > 0 && isPreferred(range, ranges[at - 1])) at -= 1;
    ranges.splice(at, 0, range);
  }
  return ranges;
}

function isPreferred(range: MediaRange, other: MediaRange | undefined): boolean {
  if (!other) return false;
  if (quality(range) > quality(other)) return true;
  const [type, subtype] = range.type.split('/');
  const [otherType, otherSubtype] = other.type.split('/');
  return (type !== '*' && otherType === '*') || (subtype !== '*' && otherSubtype === '*');
}

function quality({ parameters }: MediaRange): number {
  const value = Number(parameters['q'] ?? 1);
  return Number.isNaN(value) ? 1 : value;
}

function accepts({ type }: MediaRange, served: string): boolean {
  return type === served || type === '*/*' || (type.endsWith('/*') && served.startsWith(type.slice(0, -1)));
}

/**
 * Returns the first served media type that a client accepts and that `allows` permits with the parameters of the
 * `Accept` header.
 */
export function selectFormat(
  accept: string | undefined,
  allows: (format: string, parameters: Parameters) => boolean,
): string | undefined {
  for (const range of parseAccept(accept)) {
    // The only stream schema is that of a watch, for other requests too.
    if (!['', 'watch'].includes(range.parameters['stream'] ?? '')) continue;
    const format = SERVED_TYPES.find((served) => accepts(range, served) && allows(served, range.parameters));
    if (format !== undefined) return format;
  }
  return undefined;
}

/** Reports whether a client prefers YAML to JSON. */
export function prefersYaml(accept: string | undefined): boolean {
  const first = parseAccept(accept).find((range) => accepts(range, JSON_TYPE) || accepts(range, YAML_TYPE));
  return first !== undefined && !accepts(first, JSON_TYPE);
}
