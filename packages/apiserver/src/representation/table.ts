import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, present } from '../resources/resource-type.ts';
import { defaultColumns } from '../resources/columns.ts';
import { goEmpty } from '../schema/go-empty.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { eventLine, jsonFormat, listMetadata } from './json.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { EventType } from '../storage/event-log.ts';
import type { Representation } from './representation.ts';

/**
 * Objects as rows of a Table of `meta.k8s.io`, which `kubectl get` prints.
 *
 * @param apiVersion version of the Table.
 */
export function tableRepresentation(type: ResourceType, includeObject: string, apiVersion: string): Representation {
  const columnDefinitions = type.columns
    .filter(({ isUndefined }) => isUndefined !== true)
    .map(({ name, type: valueType, format = '', description = '', priority = 0 }) => ({
      name,
      type: valueType,
      format,
      description,
      priority,
    }));
  const headOf = (metadata: object, columns: object | null): object => {
    return { kind: 'Table', apiVersion, metadata, columnDefinitions: columns };
  };
  const row = (stored: StoredObject): object => {
    const object = present(type, stored);
    // Cells show the stored version, as upstream prints the internal type.
    const cells = cellsOf(type, type.view ? parseStored(stored) : object);
    switch (includeObject) {
      case 'None':
        return { cells, object: null };
      case 'Object':
        return { cells, object };
      default:
        return { cells, object: partialMetadata(type, stored, apiVersion) };
    }
  };
  let headSent = false;
  // A watch sends the columns only once.
  const line = (event: EventType | 'BOOKMARK', version: number, rows: readonly object[]): Buffer => {
    const head = headOf({ resourceVersion: String(version) }, headSent ? null : columnDefinitions);
    headSent = true;
    return eventLine(event, { ...head, rows });
  };
  return {
    ...jsonFormat,
    object: (stored) => {
      // An object of a dry run has no version.
      const head = headOf(stored.version > 0 ? { resourceVersion: String(stored.version) } : {}, columnDefinitions);
      return Buffer.from(JSON.stringify({ ...head, rows: [row(stored)] }));
    },
    *list(page) {
      const head = JSON.stringify(headOf(listMetadata(page), columnDefinitions));
      if (page.items.length === 0 && type.columns === defaultColumns) {
        yield Buffer.from(`${head.slice(0, -1)},"rows":null}`);
        return;
      }
      yield Buffer.from(`${head.slice(0, -1)},"rows":[`);
      let separator = '';
      for (const stored of page.items) {
        yield Buffer.from(`${separator}${JSON.stringify(row(stored))}`);
        separator = ',';
      }
      yield Buffer.from(']}');
    },
    event: (event, stored) => [line(event, stored.version, [row(stored)])],
    bookmark: (version, annotations) => {
      const metadata = { resourceVersion: String(version), ...(annotations && { annotations }) };
      const object = { kind: 'PartialObjectMetadata', apiVersion, metadata };
      return line('BOOKMARK', version, [{ cells: cellsOf(type, emptyObject(type)), object }]);
    },
  };
}

function cellsOf(type: ResourceType, object: ApiObject): unknown[] {
  return type.columns.map((column) => column.cell(object) ?? null);
}

/** The object of a bookmark, whose row has cells too. */
function emptyObject(type: ResourceType): ApiObject {
  const apiVersion = apiVersionOf(type);
  const empty = type.builtIn ? goEmpty(apiVersion, type.kind) : undefined;
  // It has no metadata, and the cells of a real server show so.
  const object = { ...empty, kind: type.kind, apiVersion, metadata: {} } as unknown as ApiObject;
  return type.view ? type.view.toStored(object) : object;
}
