import type { FieldError } from '../status.ts';
import { badRequest, forbiddenField, invalid, unsupportedField } from '../status.ts';
import { parseVersion } from './version.ts';

export interface WatchOptions {
  /** Starts with an ADDED event for each existing object, instead of after {@link version}. */
  readonly initial: boolean;
  /** Ends the initial events with an annotated bookmark (KEP-3157). */
  readonly initialEventsEnd: boolean;
  readonly version: number;
  /** In milliseconds. */
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
  } else if (isTrue(sendInitialEvents) && !bookmarks) {
    errors.push(
      forbiddenField('allowWatchBookmarks', 'sendInitialEvents requires setting allowWatchBookmarks to true'),
    );
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

  const initialEventsEnd = isTrue(sendInitialEvents);
  const version = parseVersion(versionText);
  return {
    initial: sendInitialEvents === null ? version === 0 : initialEventsEnd,
    initialEventsEnd,
    version,
    timeout: parseTimeout(query.get('timeoutSeconds')),
    bookmarkInterval: bookmarks ? bookmarkInterval : undefined,
  };
}

function parseTimeout(text: string | null): number {
  const seconds = Number(text ?? 0);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw badRequest(`timeoutSeconds: Invalid value: ${JSON.stringify(text)}`);
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
