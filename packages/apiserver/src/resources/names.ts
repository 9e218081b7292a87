import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ResourceType } from './resource-type.ts';

/**
 * Formats of names, labels and annotations. The formats and messages follow `k8s.io/apimachinery/pkg/util/validation`.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const labelFormat = new RegExp(`^${LABEL}$`);
const dns1035LabelFormat = new RegExp(`^${DNS_1035_LABEL}$`);
const subdomainFormat = new RegExp(`^${SUBDOMAIN}$`);
const qualifiedNameFormat = new RegExp(`^${QUALIFIED_NAME}$`);
const labelValueFormat = new RegExp(`^${LABEL_VALUE}$`);

const ANNOTATIONS_LIMIT = 256 * 1024;

function tooLong(limit: number, unit: 'bytes' | 'characters' = 'bytes'): string {
  return `must be no more than ${limit} ${unit}`;
}

/** Returns the error of a text that does not match a format. */
export function regexError(message: string, format: string, ...examples: string[]): string {
  const texts = examples.map((example) => `'${example}'`).join(',  or ');
  return `${message} (e.g. ${texts}, regex used for validation is '${format}')`;
}

/** Returns the errors in a DNS-1123 subdomain. */
export function subdomainErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 253) errors.push(tooLong(253, 'characters'));
  if (!subdomainFormat.test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    errors.push(regexError(rule, SUBDOMAIN, 'example.com'));
  }
  return errors;
}

/** Returns the errors in a DNS-1123 subdomain whose first label is `*`. */
export function wildcardErrors(value: string): string[] {
  const format = `\\*\\.${SUBDOMAIN}`;
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [
    ...(value.length > 253 ? [tooLong(253, 'characters')] : []),
    ...(new RegExp(`^${format}$`).test(value) ? [] : [regexError(rule, format, '*.example.com')]),
  ];
}

/** Returns the errors in a DNS-1123 label. */
export function dnsLabelErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push(tooLong(63, 'characters'));
  if (subdomainFormat.test(value) && value.includes('.')) errors.push('must not contain dots');
  else if (!labelFormat.test(value)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    errors.push(regexError(rule, LABEL, 'my-name', '123-abc'));
  }
  return errors;
}

/** Returns the errors in a DNS-1035 label. */
export function dns1035LabelErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push(tooLong(63, 'characters'));
  if (!dns1035LabelFormat.test(value)) {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    errors.push(regexError(rule, DNS_1035_LABEL, 'my-name', 'abc-123'));
  }
  return errors;
}

/** Returns the errors in a text that becomes part of a path. */
export function pathSegmentErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((text) => value.includes(text)).map((text) => `may not contain '${text}'`);
}

/** Returns the errors in an object's name, by the rule of its kind. */
export function nameErrors(rule: ResourceType['nameRule'], name: string): string[] {
  switch (rule) {
    case 'label':
      return dnsLabelErrors(name);
    case 'subdomain':
      return subdomainErrors(name);
    case 'DNS-1035 label':
      return dns1035LabelErrors(name);
    case 'path segment':
      return pathSegmentErrors(name);
    case 'of the kind':
      return [];
  }
}

/** Returns the errors in a qualified name, such as the key of a label. */
export function qualifiedNameErrors(value: string): string[] {
  const slash = value.indexOf('/');
  const name = value.slice(slash + 1);
  if (name.includes('/')) {
    const rule =
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    const prefix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`${regexError(rule, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc')} ${prefix}`];
  }
  const errors: string[] = [];
  if (slash === 0) errors.push('prefix part must be non-empty');
  if (slash > 0)
    errors.push(
      ...subdomainErrors(value.slice(0, slash)).map(
        (error) => `prefix part ${error.replace(/ characters$/u, ' bytes')}`,
      ),
    );
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > 63) errors.push(`name part ${tooLong(63)}`);
  if (!qualifiedNameFormat.test(name)) {
    const rule =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    errors.push(regexError(rule, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc'));
  }
  return errors;
}

/** Returns the errors in the value of a label. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push(tooLong(63));
  if (!labelValueFormat.test(value)) {
    const rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    errors.push(regexError(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}

export function labelFieldErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    for (const detail of qualifiedNameErrors(key)) errors.push(invalidField('metadata.labels', key, detail));
    for (const detail of labelValueErrors(value)) errors.push(invalidField('metadata.labels', value, detail));
  }
  return errors;
}

export function annotationFieldErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
    for (const detail of qualifiedNameErrors(key.toLowerCase())) {
      errors.push(invalidField('metadata.annotations', key, detail));
    }
  }
  if (size > ANNOTATIONS_LIMIT) {
    const detail = `may not be more than ${ANNOTATIONS_LIMIT} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field: 'metadata.annotations', message: `Too long: ${detail}` });
  }
  return errors;
}

/** Returns the errors in finalizers that every kind reports. */
export function finalizerFieldErrors(finalizers: readonly string[]): FieldError[] {
  return finalizers.flatMap((finalizer) =>
    qualifiedNameErrors(finalizer).map((detail) => invalidField('metadata.finalizers', finalizer, detail)),
  );
}
