import * as z from 'zod';
import type { ResourceType } from '../resources/resource-type.ts';
import type { Selection } from '../selectors/selection.ts';
import { isSelective, matches, selectedName } from '../selectors/selection.ts';
import type { FieldError } from '../status.ts';
import { badRequest, expired, forbiddenField, invalid, StatusError, unsupportedField } from '../status.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { integerOf } from './query-numbers.ts';
import type { Backend } from './target.ts';
import { parseVersion, untilVersion } from './version.ts';

/** Objects sorted by key, and their version. */
export interface Page {
  /** Absent for objects that are not stored. */
  readonly version: number | undefined;
  readonly items: readonly StoredObject[];
  /** Token of the next page; absent on the last one. */
  readonly continue: string | undefined;
  readonly remainingItemCount: number | undefined;
  /** The shard selector that was applied. */
  readonly shardSelector: string | undefined;
}

interface ListOptions {
  readonly limit: number;
  /** Start of the page: after `key`, in the snapshot of `version`; version 0 means the current objects. */
  readonly start: { readonly version: number; readonly key: string };
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  readonly version: number;
}

const continueToken = z.object({
  v: z.string().optional(),
  rv: z.int().min(-1).optional(),
  start: z.string().optional(),
});

/** Version in a token that continues with the current objects, after the snapshot has expired. */
const INCONSISTENT = -1;

/**
 * @throws {StatusError} 400 for options that exclude one another, 410 for an expired snapshot, 504 for a future
 *   version.
 */
export async function list(
  { store }: Backend,
  type: ResourceType,
  selection: Selection,
  query: URLSearchParams,
): Promise<Page> {
  const options = parseListOptions(type, query);
  const wanted = Math.max(options.version, options.start.version);
  await untilVersion(store, wanted, query.get('resourceVersion') ?? '');
  const resource = store.resource(type.storage);
  const exact = options.match === 'Exact' ? options.version : Math.max(options.start.version, 0);
  if (exact !== 0 && exact < resource.log.compactedVersion) throw expiredSnapshot(options, store.version);
  const version = exact === 0 ? store.version : exact;
  const all = exact === 0 ? resource.list(selection.namespace) : resource.listAt(exact, selection.namespace);

  const items: StoredObject[] = [];
  let index = options.start.key === '' ? 0 : indexAfter(all, options.start.key);
  for (; index < all.length; index++) {
    const object = all[index];
    // A full page does not know whether another object matches.
    if (options.limit > 0 && items.length === options.limit) break;
    if (object && matches(selection, object)) items.push(object);
  }
  const last = items.at(-1);
  const page = { version, items, shardSelector: selection.shard?.text };
  if (index === all.length || !last || isOfOneObject(type, selection, query))
    return { ...page, continue: undefined, remainingItemCount: undefined };
  return {
    ...page,
    continue: encodeToken(version, last.key),
    remainingItemCount: isSelective(selection) ? undefined : all.length - index,
  };
}

/** Reports whether a real server reads one object by its key, and so knows that no other follows. */
function isOfOneObject({ scope }: ResourceType, selection: Selection, query: URLSearchParams): boolean {
  if (query.get('continue') || (scope === 'Namespaced' && selection.namespace === '')) return false;
  return Boolean(selectedName(selection));
}

/**
 * Checks the options of a list that exclude one another, before the media type is negotiated.
 *
 * @returns the match of the version.
 * @throws {StatusError} 422
 */
export function requireListOptions(query: URLSearchParams): ListOptions['match'] {
  const versionText = query.get('resourceVersion') ?? '';
  const token = query.get('continue') ?? '';
  if (query.has('sendInitialEvents'))
    throw invalidOptions(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  const match = parseMatch(query.get('resourceVersionMatch') ?? '');
  if (match && token !== '')
    throw invalidOptions(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden with continue'));
  if (match && versionText === '') {
    const detail = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
    throw invalidOptions(forbiddenField('resourceVersionMatch', detail));
  }
  if (match === 'Exact' && versionText === '0') {
    const detail = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
    throw invalidOptions(forbiddenField('resourceVersionMatch', detail));
  }
  return match;
}

function parseListOptions(type: ResourceType, query: URLSearchParams): ListOptions {
  const limit = integerOf(query, 'limit') ?? 0;
  const versionText = query.get('resourceVersion') ?? '';
  const token = query.get('continue') ?? '';
  const match = requireListOptions(query);
  const start = token === '' ? { version: 0, key: '' } : decodeToken(token);
  if (token !== '' && versionText !== '' && versionText !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const version = parseListVersion(versionText);
  // A limited list at a version, without a match, has always meant exactly that version.
  // The watch cache of a real server ignores the limit of a list of any version. Events have no such cache.
  const isOfAnyVersion = versionText === '0' && token === '' && type.storage !== 'events';
  const implied = !match && limit > 0 && version > 0 ? 'Exact' : match;
  return { limit: isOfAnyVersion ? 0 : limit, match: implied, version, start };
}

function parseListVersion(text: string): number {
  try {
    return parseVersion(text);
  } catch (error) {
    throw error instanceof StatusError ? badRequest(`invalid resource version: ${error.message}`) : error;
  }
}

function parseMatch(text: string): ListOptions['match'] {
  if (text === '') return undefined;
  if (text === 'Exact' || text === 'NotOlderThan') return text;
  throw invalidOptions(unsupportedField('resourceVersionMatch', text, ['Exact', 'NotOlderThan', '']));
}

function invalidOptions(error: FieldError): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [error]);
}

function encodeToken(version: number, key: string): string {
  const token: z.infer<typeof continueToken> = { v: 'meta.k8s.io/v1', rv: version, start: key };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** @throws {StatusError} 400 with the error of a real server (upstream: `apiserver/pkg/storage.DecodeContinue`). */
function decodeToken(text: string): ListOptions['start'] {
  const { v, rv, start } = tokenFields(text);
  if (v !== 'meta.k8s.io/v1') throw badToken(`server does not recognize this encoded version ${v ?? ''}`);
  if (rv === undefined || rv === 0) throw badToken(`incorrect encoded start resourceVersion (version ${v})`);
  if (!start) throw badToken(`encoded start key empty (version ${v})`);
  const segments = start.replace(/^\//u, '').split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) throw badToken(start);
  return { version: rv, key: start };
}

function tokenFields(text: string): z.infer<typeof continueToken> {
  const unpadded = text.replace(/=+$/, '');
  const fault = /[^A-Za-z0-9_-]/.exec(unpadded)?.index ?? (unpadded.length % 4 === 1 ? unpadded.length - 1 : undefined);
  if (fault !== undefined) throw badToken(`illegal base64 data at input byte ${fault}`);
  const bytes = Buffer.from(unpadded, 'base64url');
  try {
    return continueToken.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    // Go names the first byte as a character.
    const first = String.fromCharCode(bytes[0] ?? 0);
    const why =
      bytes.length === 0
        ? 'unexpected end of JSON input'
        : `invalid character ${goCharacter(first)} looking for beginning of value`;
    throw badToken(error instanceof SyntaxError ? why : 'it is not a token of this server');
  }
}

function goCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20 || (code >= 0x7f && code < 0xa1)) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  return `'${character}'`;
}

function badToken(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** Returns the index of the first object after `key`. */
function indexAfter(objects: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((objects[middle]?.key ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function expiredSnapshot({ start, version }: ListOptions, current: number): StatusError {
  if (start.key === '') return expired(`The resourceVersion for the provided list is too old: ${version} (${current})`);
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return new StatusError(410, 'Expired', message, undefined, { continue: encodeToken(INCONSISTENT, start.key) });
}
