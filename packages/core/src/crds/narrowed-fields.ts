import type { ServedSchema } from './crd-schema.ts';
import { ANY_VALUE, keepsUnknownFields, otherFieldsOf, propertyOf } from './crd-schema.ts';
import { narrowedKeywords } from './narrowed-keyword.ts';

const MAX_FIELDS = 10;

/** A field whose new schema may accept fewer values. */
export interface NarrowedField {
  /** For example `spec.template.size`, `spec.ports[]` or `spec.labels[*]`. */
  readonly path: string;
  /** For example `removed` or `maximum 10 instead of 100`. */
  readonly change: string;
}

/**
 * Returns the fields for which `after` may accept fewer values than `before`, or keep fewer fields, at most 10. An API
 * server drops stored fields that were removed, and refuses updates of objects with other values that are no longer
 * accepted. A change that is not known to be harmless counts.
 */
export function narrowedFields(before: ServedSchema, after: ServedSchema): NarrowedField[] {
  const found: NarrowedField[] = [];
  compare(before, after, '', (path, change) => {
    if (found.length < MAX_FIELDS) found.push({ path: path === '' ? '.' : path, change });
  });
  return found;
}

type Report = (path: string, change: string) => void;

function compare(before: ServedSchema, after: ServedSchema, path: string, report: Report): void {
  if (!acceptsType(before, after)) {
    report(path, `type ${typeText(after)} instead of ${typeText(before)}`);
    return;
  }
  for (const change of narrowedKeywords(before, after)) report(path, change);
  compareFields(before, after, path, report);
  const { items: earlier = ANY_VALUE, items: hasItems } = before;
  if (after.items) compare(earlier, after.items, `${path}[]`, report);
  else if (hasItems && !keepsUnknownFields(after)) report(path, 'items are no longer described');
}

function acceptsType(before: ServedSchema, after: ServedSchema): boolean {
  if (after['x-kubernetes-int-or-string']) {
    return before['x-kubernetes-int-or-string'] === true || before.type === 'integer' || before.type === 'string';
  }
  if (before['x-kubernetes-int-or-string']) return after.type === undefined;
  if (after.type === undefined || before.type === after.type) return true;
  return before.type === 'integer' && after.type === 'number';
}

function typeText({ type = 'any', 'x-kubernetes-int-or-string': either }: ServedSchema): string {
  return either ? 'integer or string' : type;
}

function compareFields(before: ServedSchema, after: ServedSchema, path: string, report: Report): void {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const [earlierOthers, others] = [otherFieldsOf(before), otherFieldsOf(after)];
  if (earlierOthers && !others) {
    report(
      path,
      before['x-kubernetes-preserve-unknown-fields'] ? 'unknown fields are dropped' : 'other fields are dropped',
    );
  }
  if (earlierOthers && others) compareOthers(earlierOthers, others, `${path}[*]`, report);
  for (const name of new Set([...Object.keys(before.properties ?? {}), ...Object.keys(after.properties ?? {})])) {
    const earlier = propertyOf(before, name) ?? earlierOthers;
    const later = propertyOf(after, name) ?? others;
    if (earlier && later) compareOthers(earlier, later, at(name), report);
    else if (earlier && propertyOf(before, name)) report(at(name), 'removed');
  }
  for (const name of after.required ?? []) {
    if (isGiven(after, name)) continue;
    if (!before.required?.includes(name)) report(at(name), 'required');
    else if (propertyOf(before, name)?.default !== undefined) report(at(name), 'required without a default');
  }
}

/** Compares the schemas of a value. A value that is not described may be anything, and stays so. */
function compareOthers(before: ServedSchema, after: ServedSchema, path: string, report: Report): void {
  if (before !== after && after !== ANY_VALUE) compare(before, after, path, report);
}

/** Whether a field that objects lack gets a default. */
function isGiven(schema: ServedSchema, name: string): boolean {
  return propertyOf(schema, name)?.default !== undefined;
}
