import type { ResourceType } from '../resources/resource-type.ts';
import { present } from '../resources/resource-type.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { eventLine, jsonFormat, listMetadata } from './json.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { Representation } from './representation.ts';

/** Objects as rows of a `meta.k8s.io/v1` Table, which `kubectl get` prints. */
export function tableRepresentation(type: ResourceType, includeObject: string): Representation {
  const columnDefinitions = type.columns.map(
    ({ name, type: valueType, format = '', description = '', priority = 0 }) => ({
      name,
      type: valueType,
      format,
      description,
      priority,
    }),
  );
  let headSent = false;
  const headOf = (metadata: object): object => {
    return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, ...(!headSent && { columnDefinitions }) };
  };
  const table = (metadata: object, objects: readonly StoredObject[]): object => {
    return { ...headOf(metadata), rows: objects.map((stored) => row(type, stored, includeObject)) };
  };
  return {
    ...jsonFormat,
    object: (stored) => Buffer.from(JSON.stringify(table({ resourceVersion: String(stored.version) }, [stored]))),
    *list(page) {
      yield Buffer.from(`${JSON.stringify(headOf(listMetadata(page))).slice(0, -1)},"rows":[`);
      let separator = '';
      for (const stored of page.items) {
        yield Buffer.from(`${separator}${JSON.stringify(row(type, stored, includeObject))}`);
        separator = ',';
      }
      yield Buffer.from(']}');
    },
    event: (event, stored) => {
      const line = eventLine(event, table({ resourceVersion: String(stored.version) }, [stored]));
      // A watch sends the columns only once.
      headSent = true;
      return [line];
    },
    bookmark: (version, annotations) =>
      eventLine('BOOKMARK', table({ resourceVersion: String(version), ...(annotations && { annotations }) }, [])),
  };
}

function row(type: ResourceType, stored: StoredObject, includeObject: string): object {
  const object = present(type, stored);
  const cells = type.columns.map((column) => column.cell(object) ?? null);
  switch (includeObject) {
    case 'None':
      return { cells, object: null };
    case 'Object':
      return { cells, object };
    default:
      return { cells, object: partialMetadata(stored) };
  }
}
