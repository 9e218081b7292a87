import type { PrinterColumn } from '../definitions/definition.ts';
import { ageCell } from './columns.ts';
import { compileJsonPath } from './json-path.ts';
import type { Column } from './resource-type.ts';

/** Returns a column of a definition. */
export function definedColumn(column: PrinterColumn): Column {
  const { name = '', type = 'string', jsonPath = '', format, description, priority } = column;
  const find = compileJsonPath(jsonPath);
  // The type was checked when the definition was written.
  const columnType = type as Column['type'];
  return {
    name,
    type: columnType,
    ...(format !== undefined && { format }),
    // Upstream: `New` of `pkg/registry/customresource/tableconvertor`.
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority !== undefined && { priority }),
    cell: (object) => cellOf(columnType, find(object)),
  };
}

/** Converts values to a cell. (Upstream: `cellForJSONValue` of `pkg/registry/customresource/tableconvertor`.) */
function cellOf(type: Column['type'], values: readonly unknown[]): unknown {
  const [value] = values;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageCell(value);
    case 'string':
      return textOf(value);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
