import { goEmpty } from '../schema/go-empty.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, presentJson } from '../resources/resource-type.ts';
import type { EventType } from '../storage/event-log.ts';
import type { Page } from '../verbs/list.ts';
import { JSON_TYPE } from './media-type.ts';
import { recentEncodings } from './recent-encodings.ts';
import type { Representation } from './representation.ts';

const OPEN_OBJECT = Buffer.from('{');
const COMMA = Buffer.from(',');
const CLOSE_LIST = Buffer.from(']}');
const CLOSE_EVENT = Buffer.from('}\n');
const OPEN_EVENT: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};

/** Properties that all representations in JSON have. */
export const jsonFormat: Pick<Representation, 'contentType' | 'streamContentType' | 'error'> = {
  contentType: JSON_TYPE,
  streamContentType: JSON_TYPE,
  error: (status) => eventLine('ERROR', status),
};

/** Complete objects as JSON. Sends the stored bytes without parsing them. */
export function jsonRepresentation(type: ResourceType): Representation {
  const kind = { kind: type.kind, apiVersion: apiVersionOf(type) };
  // A real server omits these two fields in the list items of built-in kinds.
  const itemStart = type.builtIn ? Buffer.byteLength(JSON.stringify(kind)) : 0;
  // A bookmark is an empty object of the kind.
  const empty = type.builtIn ? bookmarkOf(kind.apiVersion, kind.kind) : undefined;
  return {
    ...jsonFormat,
    object: (stored) => presentJson(type, stored),
    *list(page) {
      // Lists of custom resources always contain `continue`.
      yield openList(
        `${type.kind}List`,
        kind.apiVersion,
        type.builtIn ? page : { ...page, continue: page.continue ?? '' },
      );
      let first = true;
      for (const stored of page.items) {
        if (!first) yield COMMA;
        first = false;
        const json = presentJson(type, stored);
        if (itemStart === 0) yield json;
        else {
          yield OPEN_OBJECT;
          yield json.subarray(itemStart);
        }
      }
      yield CLOSE_LIST;
    },
    event: (event, stored) =>
      jsonEvent(event, type.view ? recentEncodings.get(stored, type, () => presentJson(type, stored)) : stored.json),
    bookmark: (version, annotations) =>
      eventLine('BOOKMARK', {
        ...empty,
        ...kind,
        metadata: { resourceVersion: String(version), ...(annotations && { annotations }) },
      }),
  };
}

/** Kinds whose internal type has a number of replicas, and not a pointer to one: a bookmark has it. */
const COUNTED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

function bookmarkOf(apiVersion: string, kind: string): object | undefined {
  const empty = goEmpty(apiVersion, kind);
  if (!empty || !COUNTED.has(kind)) return empty;
  return { ...empty, spec: { ...(empty['spec'] as object | undefined), replicas: 0 } };
}

/** Returns the parts of a line of a watch. */
export function jsonEvent(type: EventType, json: Buffer): readonly Buffer[] {
  return [OPEN_EVENT[type], json, CLOSE_EVENT];
}

/** Returns a line of a watch for an object that is not stored. */
export function eventLine(type: EventType | 'BOOKMARK' | 'ERROR', object: unknown): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

/** Returns the metadata of a list. */
export function listMetadata({ version, continue: token, remainingItemCount, shardSelector }: Page): object {
  return {
    ...(version !== undefined && { resourceVersion: String(version) }),
    ...(token !== undefined && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
    ...(shardSelector !== undefined && { shardInfo: { selector: shardSelector } }),
  };
}

/** Returns the JSON of a list up to its first item. */
export function openList(kind: string, apiVersion: string, page: Page): Buffer {
  const head = JSON.stringify({ kind, apiVersion, metadata: listMetadata(page) });
  return Buffer.from(`${head.slice(0, -1)},"items":[`);
}
