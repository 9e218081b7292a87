import * as z from 'zod';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { schemaAt } from './json-path.ts';

/** How a column is printed. */
export type ColumnType = 'string' | 'integer' | 'number' | 'boolean' | 'date';

/** A column that `kubectl get` prints. */
export interface PrinterColumn<Path extends string = string> {
  /** Heading, such as `Ready`. */
  readonly name: string;
  /** Path of the value, such as `.status.readyReplicas` or `.status.conditions[?(@.type=="Ready")].status`. */
  readonly jsonPath: Path;
  /** Default: the type of the value in the schema. `date` prints the age of a timestamp. */
  readonly type?: ColumnType;
  readonly format?: string;
  readonly description?: string;
  /** Columns with a priority above 0 appear with `-o wide` only. Default: 0. */
  readonly priority?: number;
}

/** A column of a CustomResourceDefinition. */
export type CrdColumn = PrinterColumn & { readonly type: ColumnType };

export const columnSchema = z.strictObject({
  name: z.string().min(1),
  jsonPath: z.string().min(1).max(1000),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'date']).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  priority: z.int32().min(0).optional(),
} satisfies Record<keyof PrinterColumn, z.ZodType>);

/** @throws {TypeError} if the schema has no such field, or its values are not printed as one of the types. */
export function crdColumn(column: PrinterColumn, root: StructuralSchema): CrdColumn {
  const type = column.type ?? typeOf(schemaAt(root, column.jsonPath));
  if (type !== undefined) {
    schemaAt(root, column.jsonPath);
    return { ...column, type };
  }
  throw new TypeError(
    `${column.jsonPath} is not a single value: set the type of the column, for example type: "string"`,
  );
}

function typeOf(schema: StructuralSchema): ColumnType | undefined {
  const { type, format } = schema;
  if (schema['x-kubernetes-int-or-string']) return 'string';
  if (type === 'string') return format === 'date-time' ? 'date' : 'string';
  return type === 'object' || type === 'array' ? undefined : type;
}
