import { zeroValueTable } from './built-in/zero-value-table.ts';

/** How Go writes the zero values of the fields of a type. */
export interface ZeroValues {
  /** Fields that are omitted if they are an empty text, 0 or false. */
  readonly omitted: ReadonlySet<string>;
  /** Fields that are written with their zero value if they are absent. */
  readonly written: readonly string[];
  /** Lists that are written if they are empty. */
  readonly lists: ReadonlySet<string>;
  /** Fields that are written as `null` if they are absent. */
  readonly nulls: readonly string[];
}

/** Pointers and lists that Go writes as `null` if they are absent. The server has no rules about them. */
const NULLS: Readonly<Record<string, readonly string[]>> = {
  AzureFilePersistentVolumeSource: ['secretNamespace'],
  PodFailurePolicy: ['rules'],
  ProjectedVolumeSource: ['sources'],
  ScaleIOPersistentVolumeSource: ['secretRef'],
  ScaleIOVolumeSource: ['secretRef'],
  TypedLocalObjectReference: ['apiGroup'],
  TypedObjectReference: ['apiGroup'],
};

const NONE: ZeroValues = { omitted: new Set(), written: [], lists: new Set(), nulls: [] };

/** The lines of the table by type. */
let lines: ReadonlyMap<string, string> | undefined;

const parsed = new Map<string, ZeroValues>();

/** Returns how Go writes zero values. @param type type of the tables, or a kind after its version: `apps/v1.Deployment`. */
export function zeroValues(type: string): ZeroValues {
  const known = parsed.get(type);
  if (known) return known;
  lines ??= readLines(zeroValueTable);
  const values = parse(lines.get(type), NULLS[type] ?? []);
  parsed.set(type, values);
  return values;
}

/** Returns the name of a kind in the table. */
export function qualifiedKind({
  group = '',
  version,
  kind,
}: Readonly<Record<'version' | 'kind', string>> & { readonly group?: string }): string {
  return `${group === '' ? version : `${group}/${version}`}.${kind}`;
}

function readLines(table: string): ReadonlyMap<string, string> {
  return new Map(
    table
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
}

function parse(line: string | undefined, nulls: readonly string[]): ZeroValues {
  if (line === undefined) return nulls.length === 0 ? NONE : { ...NONE, nulls };
  const fields = line.split(' ');
  const marked = (mark: string): string[] =>
    fields.filter((field) => field.endsWith(mark)).map((field) => field.slice(0, -1));
  return {
    omitted: new Set(fields.filter((field) => !/[!*]$/u.test(field))),
    written: marked('!'),
    lists: new Set(marked('*')),
    nulls,
  };
}

/** Reports whether a value is the zero value of a text, a number or a boolean. */
export function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}
