import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import {
  dnsLabelErrors,
  labelValueErrors,
  pathSegmentErrors,
  qualifiedNameErrors,
  regexError,
  subdomainErrors,
} from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Rules that many kinds share. Each returns the errors of one field. The messages are those of upstream. */

const LARGEST_INT32 = 2_147_483_647;
const LARGEST_PORT = 65_535;

export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

export const IMMUTABLE = 'field is immutable';

/**
 * Returns the errors of a kind whose rules do not look at the metadata: those of its metadata are reported for a new object
 * only if there are no others.
 */
export function besidesMetadata(
  { previous, metadataErrors = [] }: Change,
  errors: readonly FieldError[],
): FieldError[] {
  if (previous) return [...metadataErrors, ...errors];
  return [...(errors.length > 0 ? errors : metadataErrors)];
}

/** Returns the field at a path of `value`, and its own path. */
export function at(value: unknown, path: string, field: string): readonly [field: string, value: unknown] {
  return [`${path}.${field}`, valueAt(value, field)];
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The field must have a value. */
export function required([field, value]: readonly [string, unknown], detail = ''): FieldError[] {
  return isEmpty(value) ? [requiredField(field, detail)] : [];
}

/** A number must not be negative, if it is there. */
export function nonNegative([field, value]: readonly [string, unknown]): FieldError[] {
  if (typeof value !== 'number' || value >= 0) return [];
  return [invalidField(field, value, 'must be greater than or equal to 0')];
}

/** A number must be in a range, if it is there. */
export function between([field, value]: readonly [string, unknown], low: number, high = LARGEST_INT32): FieldError[] {
  if (typeof value !== 'number' || (value >= low && value <= high)) return [];
  return [invalidField(field, value, `must be between ${low} and ${high}, inclusive`)];
}

export function portNumber(place: readonly [string, unknown]): FieldError[] {
  return between(place, 1, LARGEST_PORT);
}

/** The value must be one of those, if it is there. Upstream lists some in the order of the alphabet. */
export function oneOf([field, value]: readonly [string, unknown], supported: readonly string[]): FieldError[] {
  if (isEmpty(value) || supported.includes(scalarText(value))) return [];
  return [unsupportedField(field, value, supported)];
}

/** Like {@link oneOf}, for a field whose empty text is a value: a pointer in Go. */
export function supported([field, value]: readonly [string, unknown], values: readonly string[]): FieldError[] {
  if (value === undefined || value === null || values.includes(scalarText(value))) return [];
  return [unsupportedField(field, value, values)];
}

const each =
  (check: (text: string) => string[]) =>
  ([field, value]: readonly [string, unknown]): FieldError[] =>
    isEmpty(value) ? [] : check(scalarText(value)).map((detail) => invalidField(field, value, detail));

/** Validates a text, which may be empty. */
export function text([field, value]: readonly [string, unknown], check: (text: string) => string[]): FieldError[] {
  const sent = scalarText(value);
  return check(sent).map((detail) => invalidField(field, sent, detail));
}

/** Validates a text that may be absent. The empty text is a value: a pointer in Go. */
export function textIfSet(place: readonly [string, unknown], check: (text: string) => string[]): FieldError[] {
  return place[1] === undefined || place[1] === null ? [] : text(place, check);
}

/** Validates a text, which must not be empty. */
export function requiredText(place: readonly [string, unknown], check: (text: string) => string[]): FieldError[] {
  return isEmpty(place[1]) ? [requiredField(place[0], '')] : text(place, check);
}

/** An update must not change the value. */
export function unchanged([field, value]: readonly [string, unknown], before: unknown): FieldError[] {
  return isDeepStrictEqual(value, before) ? [] : [invalidField(field, value ?? null, IMMUTABLE)];
}

/** A list must not have more items. */
export function atMost(field: string, count: number, limit: number): FieldError[] {
  if (count <= limit) return [];
  const items = limit === 1 ? 'item' : 'items';
  const message = `Too many: ${count}: must have at most ${limit} ${items}`;
  return [{ reason: 'FieldValueTooMany', field, message }];
}

/** Validates an item of a list, which must not be in the list before. */
export function unique(field: string, index: number, values: readonly unknown[]): FieldError[] {
  return values.indexOf(values[index]) < index ? [duplicateField(field, values[index])] : [];
}

export const dnsLabel = each(dnsLabelErrors);
export const subdomain = each(subdomainErrors);
export const qualifiedName = each(qualifiedNameErrors);
export const pathSegment = each(pathSegmentErrors);

const PORT_NAME_LIMIT = 15;

/** Returns the errors in the name of a port. */
export function portNameErrors(name: string): string[] {
  return [
    ...(name.length > PORT_NAME_LIMIT ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/u.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/u.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/u.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
}

export const portName = each(portNameErrors);

/** A port is a number or the name of one. */
export function portNumberOrName(place: readonly [string, unknown]): FieldError[] {
  return typeof place[1] === 'number' ? portNumber(place) : portName(place);
}

/** Keys and values of labels outside of the metadata. */
export function labels([field, value]: readonly [string, unknown]): FieldError[] {
  return Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, text]) => [
    ...qualifiedNameErrors(key).map((detail) => invalidField(field, key, detail)),
    ...labelValueErrors(scalarText(text)).map((detail) => invalidField(field, text, detail)),
  ]);
}

const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** Returns the errors in a DNS-1035 label, which starts with a letter. */
export function dns1035Errors(text: string): string[] {
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [
    ...(text.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(new RegExp(`^${DNS_1035}$`, 'u').test(text) ? [] : [regexError(rule, DNS_1035, 'my-name', 'abc-123')]),
  ];
}
