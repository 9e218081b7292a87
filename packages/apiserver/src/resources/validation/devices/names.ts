import type { FieldError } from '../../../status.ts';
import { invalidField, requiredField } from '../../../status.ts';
import { dnsLabelErrors, regexError, subdomainErrors } from '../../names.ts';
import { listAt } from '../../cells.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { text } from '../rules.ts';
import { driverNameErrors } from '../volume-source.ts';
import { tooLongField } from './lists.ts';

const LONGEST_POOL = 253;
const LONGEST_IDENTIFIER = 32;
const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';

/** Validates the name of a pool: subdomains, separated by slashes (upstream: `validatePoolName`). */
export function poolNameErrors([field, value]: readonly [string, unknown]): FieldError[] {
  const name = scalarText(value);
  if (name === '') return [requiredField(field, '')];
  return [
    ...(Buffer.byteLength(name) > LONGEST_POOL ? [tooLongField(field, LONGEST_POOL)] : []),
    ...name.split('/').flatMap((part) => text([field, part], subdomainErrors)),
  ];
}

/** Validates the name of an attribute or a capacity, with or without a domain (upstream: `validateQualifiedName`). */
export function attributeNameErrors(field: string, name: string): FieldError[] {
  const [first = '', second, ...others] = name.split('/');
  if (second === undefined) return identifierErrors(field, first);
  // Upstream accepts more than one slash.
  if (others.length > 0) return [];
  return [
    ...(first === ''
      ? [invalidField(field, '', 'the domain must not be empty')]
      : driverNameErrors([field, first] as const)),
    ...(second === '' ? [invalidField(field, '', 'the name must not be empty')] : identifierErrors(field, second)),
  ];
}

/** Validates the name of an attribute, which must have a domain (upstream: `validateFullyQualifiedName`). */
export function domainNameErrors(field: string, name: string): FieldError[] {
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...attributeNameErrors(field, name), ...(name.includes('/') ? [] : [invalidField(field, name, detail)])];
}

function identifierErrors(field: string, name: string): FieldError[] {
  const rule =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [
    ...(Buffer.byteLength(name) > LONGEST_IDENTIFIER ? [tooLongField(field, LONGEST_IDENTIFIER)] : []),
    ...(new RegExp(`^${IDENTIFIER}$`, 'u').test(name)
      ? []
      : [invalidField(field, name, regexError(rule, IDENTIFIER, 'my_name', 'MY_NAME', 'MyName'))]),
  ];
}

/** Names of the requests of a claim, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the names of the requests in the `devices` of a claim. */
export function requestNames(devices: unknown): RequestNames {
  return new Map(
    listAt(devices, 'requests').map((request) => {
      const alternatives = listAt(request, 'firstAvailable').map((each) => scalarText(valueAt(each, 'name')));
      return [scalarText(valueAt(request, 'name')), new Set(alternatives)];
    }),
  );
}

/** Validates a reference to a request, or to one of its alternatives (upstream: `validateRequestNameRef`). */
export function requestReferenceErrors(field: string, name: string, known: RequestNames): FieldError[] {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const [request = '', alternative, ...others] = name.split('/');
  if (others.length > 0) return [invalidField(field, name, detail)];
  const found = known.get(request);
  const isKnown = found !== undefined && (alternative === undefined || found.has(alternative));
  return [
    ...[request, alternative].flatMap((part) => (part === undefined ? [] : text([field, part], dnsLabelErrors))),
    ...(isKnown ? [] : [invalidField(field, name, detail)]),
  ];
}
