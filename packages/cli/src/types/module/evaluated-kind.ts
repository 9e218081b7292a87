import { crdOf, defineKind, type PrinterColumn, type StructuralSchema } from '@mcr/kinds';
import type * as z from 'zod';
import { canonicalRoot } from '../definitions/canonical-schema.ts';
import type { DefinitionVersion } from '../definitions/definition.ts';

/** The options of `defineKind` about columns, the scale and selectable fields. */
export interface View {
  readonly printerColumns?: readonly PrinterColumn[];
  readonly scale?: DefinitionVersion['scale'];
  readonly selectableFields?: readonly string[];
}

/** Options of `defineKind`, whose types are not known. */
type Options = Readonly<Record<string, unknown>>;

/** Returns the columns, the scale and the selectable fields that `defineKind` accepts. Notes the others. */
export function viewOf(options: Options, version: DefinitionVersion, subject: string, notes: string[]): View {
  const accepted = (view: View, what: string): boolean => {
    try {
      define({ ...options, ...view });
      return true;
    } catch (error) {
      notes.push(`${subject}: ${what} is left out: ${(error as Error).message.replace(/^kind \w+: /, '')}`);
      return false;
    }
  };
  const { columns, scale, selectableFields } = version;
  const printerColumns = (columns as readonly PrinterColumn[]).filter((column) =>
    accepted({ printerColumns: [column] }, `the column ${column.name}`),
  );
  return {
    ...(printerColumns.length > 0 && { printerColumns }),
    ...(scale && accepted({ scale }, 'the subresource scale') && { scale }),
    ...(selectableFields.length > 0 &&
      accepted({ selectableFields }, 'the list of selectable fields') && { selectableFields }),
  };
}

/** The options come from a definition, so that their types are not known. */
function define(options: Options) {
  return defineKind(options as unknown as Parameters<typeof defineKind<z.ZodType, z.ZodType>>[0]);
}

/** @throws {Error} if the kind has another schema than the definition. */
export function checkSchema(options: Options, schema: StructuralSchema, subject: string): void {
  const [version] = crdOf(define(options)).spec.versions;
  const found = canonicalRoot(version?.schema?.openAPIV3Schema, subject);
  const difference = firstDifference(found, schema, '');
  if (difference === undefined) return;
  throw new Error(
    `${subject}: the module would have another schema at ${difference}: this is a defect of mcr, please report it`,
  );
}

function firstDifference(left: unknown, right: unknown, path: string): string | undefined {
  // Both are in canonical form.
  if (JSON.stringify(left) === JSON.stringify(right)) return undefined;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return path;
  const [a, b] = [left, right] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(a[key], b[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return path;
}
