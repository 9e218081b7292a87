import {
  dns1035LabelErrors,
  dnsLabelErrors,
  labelValueErrors,
  qualifiedNameErrors,
  subdomainErrors,
} from '../../resources/names.ts';
import { matchesFormat } from '../../schema/formats.ts';
import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { List, Opaque, Optional } from '../values.ts';
import { Url } from './urls.ts';

class NamedFormat extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly errorsOf: (text: string) => string[];
  /** Length of its regular expression, for the calculation of costs. */
  readonly #length: number;

  constructor(name: string, size: number, errorsOf: (text: string) => string[]) {
    super();
    this.name = name;
    this.#length = size;
    this.errorsOf = errorsOf;
  }

  override get size(): number {
    return this.#length;
  }

  equals(other: Opaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** A prefix of a generated name may end with a dash. */
const ofPrefix =
  (errorsOf: (text: string) => string[]) =>
  (text: string): string[] =>
    errorsOf(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const ofSchema =
  (format: string, message: string) =>
  (text: string): string[] =>
    matchesFormat(format, text) ? [] : [message];

function uriErrors(text: string): string[] {
  try {
    return new Url(text).text === text ? [] : ['invalid URI'];
  } catch (error) {
    return [(error instanceof Error ? error.message : String(error)).replace(/^.*conversion from string: /, '')];
  }
}

const FORMATS = new Map<string, NamedFormat>(
  (
    [
      ['dns1123Label', 30, dnsLabelErrors],
      ['dns1123Subdomain', 60, subdomainErrors],
      ['dns1035Label', 30, dns1035LabelErrors],
      ['qualifiedName', 60, qualifiedNameErrors],
      ['dns1123LabelPrefix', 30, ofPrefix(dnsLabelErrors)],
      ['dns1123SubdomainPrefix', 60, ofPrefix(subdomainErrors)],
      ['dns1035LabelPrefix', 30, ofPrefix(dns1035LabelErrors)],
      ['labelValue', 40, labelValueErrors],
      ['uri', 1000, uriErrors],
      ['uuid', 91, ofSchema('uuid', 'does not match the UUID format')],
      ['byte', 84, ofSchema('byte', 'invalid base64')],
      ['date', 60, ofSchema('date', 'invalid date')],
      ['datetime', 60, ofSchema('date-time', 'invalid datetime')],
    ] as const
  ).map(([name, size, errorsOf]) => [name, new NamedFormat(name, size, errorsOf)]),
);

/** Kubernetes' named formats: `format.dns1123Label().validate(self)`. */
export const formatLibrary: readonly Overload[] = [
  ...[...FORMATS].map(([name, format]) => overload(`format.${name} format.${name}: ()->format`, () => format)),
  overload('format-named format.named: (string)->optional(format)', (name: string) => new Optional(FORMATS.get(name))),
  overload('format-validate validate: format.(string)->optional(list(string))', (format: NamedFormat, text: string) => {
    const errors = format.errorsOf(text);
    return new Optional(errors.length === 0 ? undefined : new List(errors));
  }),
];
