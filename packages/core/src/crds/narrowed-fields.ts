/** The keywords of a structural schema that limit values. (Upstream: `apiextensions.k8s.io/v1.JSONSchemaProps`.) */
export interface StructuralSchema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/** A field whose new schema accepts fewer values. */
export interface NarrowedField {
  /** For example `spec.template.size`, `spec.ports[]` or `spec.labels[*]`. */
  readonly path: string;
  /** For example `removed` or `maximum 10 instead of 100`. */
  readonly change: string;
}

/** Limits that are tighter if they are greater. */
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Limits that are tighter if they are less. */
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;

/**
 * Returns the fields for which `after` accepts fewer values than `before`, at most `limit`. An API server drops stored
 * fields that were removed, and refuses updates of objects with other values that are no longer accepted. CEL rules are
 * not compared.
 */
export function narrowedFields(before: StructuralSchema, after: StructuralSchema, limit = 10): NarrowedField[] {
  const found: NarrowedField[] = [];
  compare(before, after, '', (path, change) => {
    if (found.length < limit) found.push({ path: path === '' ? '.' : path, change });
  });
  return found;
}

type Report = (path: string, change: string) => void;

function compare(before: StructuralSchema, after: StructuralSchema, path: string, report: Report): void {
  if (!acceptsType(before, after)) {
    report(path, `type ${typeText(after)} instead of ${typeText(before)}`);
    return;
  }
  compareLimits(before, after, path, report);
  compareFields(before, after, path, report);
  const values = [
    [before.items, after.items, '[]'],
    [schemaOf(before.additionalProperties), schemaOf(after.additionalProperties), '[*]'],
  ] as const;
  for (const [earlier, later, suffix] of values) {
    if (earlier && later) compare(earlier, later, path + suffix, report);
  }
}

function acceptsType(before: StructuralSchema, after: StructuralSchema): boolean {
  if (after['x-kubernetes-int-or-string']) {
    return before['x-kubernetes-int-or-string'] === true || before.type === 'integer' || before.type === 'string';
  }
  if (after.type === undefined || before.type === after.type) return !before['x-kubernetes-int-or-string'];
  return before.type === 'integer' && after.type === 'number';
}

function typeText({ type = 'any', 'x-kubernetes-int-or-string': either }: StructuralSchema): string {
  return either ? 'integer or string' : type;
}

function compareLimits(before: StructuralSchema, after: StructuralSchema, path: string, report: Report): void {
  for (const name of LOWER) {
    const [earlier = -Infinity, later = -Infinity] = [before[name], after[name]];
    if (later > earlier) report(path, limitText(name, before[name], later));
  }
  for (const name of UPPER) {
    const [earlier = Infinity, later = Infinity] = [before[name], after[name]];
    if (later < earlier) report(path, limitText(name, before[name], later));
  }
  for (const name of ['pattern', 'format'] as const) {
    const later = after[name];
    if (later !== undefined && later !== before[name]) report(path, limitText(name, before[name], later));
  }
  if (before.nullable && !after.nullable) report(path, 'no longer nullable');
  if (!after.enum) return;
  const values = new Set(after.enum.map((value) => JSON.stringify(value)));
  const removed = before.enum?.map((value) => JSON.stringify(value)).filter((value) => !values.has(value));
  if (!removed) report(path, 'limited to an enum');
  else if (removed.length > 0) report(path, `without the value ${removed[0]}`);
}

function limitText(name: string, earlier: string | number | undefined, later: string | number): string {
  return `${name} ${later} instead of ${earlier ?? 'none'}`;
}

function compareFields(before: StructuralSchema, after: StructuralSchema, path: string, report: Report): void {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const keepsUnknown = after['x-kubernetes-preserve-unknown-fields'] === true;
  const others = after.additionalProperties;
  if (before['x-kubernetes-preserve-unknown-fields'] && !keepsUnknown) report(path, 'unknown fields are dropped');
  if (before.additionalProperties && !others && !keepsUnknown) report(path, 'other fields are dropped');
  for (const [name, earlier] of Object.entries(before.properties ?? {})) {
    const later = after.properties?.[name] ?? schemaOf(others);
    if (later) compare(earlier, later, at(name), report);
    else if (!keepsUnknown && others !== true) report(at(name), 'removed');
  }
  const wasRequired = new Set(before.required);
  for (const name of after.required ?? []) {
    if (!wasRequired.has(name) && after.properties?.[name]?.default === undefined) report(at(name), 'required');
  }
}

function schemaOf(value: StructuralSchema | boolean | undefined): StructuralSchema | undefined {
  return typeof value === 'object' ? value : undefined;
}
