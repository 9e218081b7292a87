import type { FieldError } from '../status.ts';
import { badRequest, forbiddenField, invalid, StatusError, unsupportedField } from '../status.ts';
import { parseVersion } from './version.ts';

export interface WatchOptions {
  /** Starts with an ADDED event for each existing object, instead of after {@link version}. */
  readonly initial: boolean;
  /** Ends the initial events with an annotated bookmark (KEP-3157). */
  readonly initialEventsEnd: boolean;
  readonly version: number;
  /** In milliseconds. 0 ends the watch without events. */
  readonly timeout: number;
  /** In milliseconds; `undefined` disables bookmarks. */
  readonly bookmarkInterval: number | undefined;
}

/**
 * Minimum of the default length of a watch, in milliseconds. The maximum is twice as long. Upstream:
 * `--min-request-timeout`.
 */
const MIN_TIMEOUT = 30 * 60_000;
const LONGEST_TIMER = 2 ** 31 - 1;

/** @throws {StatusError} 400 or 422 for options that exclude one another. */
export function parseWatchOptions(query: URLSearchParams, bookmarkInterval: number): WatchOptions {
  const versionText = query.get('resourceVersion') ?? '';
  const bookmarks = isTrue(query.get('allowWatchBookmarks'));
  const sendInitialEvents = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== null && match !== 'NotOlderThan') {
    errors.push(
      forbiddenField('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  }
  // A watch from any version begins with the initial events, as if it had asked for them.
  const isFromAny = sendInitialEvents === null && (versionText === '' || versionText === '0');
  if ((query.get('continue') ?? '') !== '' && (match !== '' || isFromAny)) {
    errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== '' && sendInitialEvents === null) {
    errors.push(
      forbiddenField(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    );
  }
  if (match !== '' && match !== 'NotOlderThan') {
    errors.push(unsupportedField('resourceVersionMatch', match, ['NotOlderThan']));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);

  const initialEvents = isTrue(sendInitialEvents);
  const version = parseWatchVersion(versionText);
  return {
    initial: sendInitialEvents === null ? version === 0 : initialEvents,
    initialEventsEnd: initialEvents && bookmarks,
    version,
    timeout: parseTimeout(query.get('timeoutSeconds')),
    bookmarkInterval: bookmarks ? bookmarkInterval : undefined,
  };
}

/** A real server reports a version that it cannot parse as its own fault. @throws {StatusError} 500 */
function parseWatchVersion(text: string): number {
  try {
    return parseVersion(text);
  } catch (error) {
    throw error instanceof StatusError ? new StatusError(500, undefined, error.message) : error;
  }
}

function parseTimeout(text: string | null): number {
  const seconds = Number(text ?? 0);
  if (!Number.isFinite(seconds)) throw badRequest(`timeoutSeconds: Invalid value: ${JSON.stringify(text)}`);
  if (seconds < 0) return 0;
  const timeout = seconds > 0 ? seconds * 1000 : MIN_TIMEOUT * (1 + Math.random());
  return Math.min(timeout, LONGEST_TIMER);
}

/**
 * Reads a boolean of a query as Go decodes it: every value is true except `false` and `0`, also the empty one. An absent
 * parameter is false.
 */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}
