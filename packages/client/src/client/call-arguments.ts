import { checkKind } from '../kinds/check-kind.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { checkKnownOptions, foundText } from '../options/known-options.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  TableOptions,
  WatchOptions,
} from './client.ts';

/**
 * Refuses a key that does not name one object. Without a name, the path would be that of the whole collection, and a
 * delete would empty it. (Upstream: client-go's "resource name may not be empty".)
 *
 * @throws {TypeError} if `kind` is not a kind, `key` is not an object with a name, or its namespace is not a string.
 */
export function checkKey(kind: Kind<KubernetesObject>, key: unknown): asserts key is ObjectKey {
  checkKind('client call', kind);
  const { name, namespace } = (typeof key === 'object' && key !== null ? key : {}) as Record<string, unknown>;
  if (typeof name === 'string' && name !== '' && (namespace === undefined || typeof namespace === 'string')) return;
  let found = `a key that is ${foundText(key)}`;
  if (typeof key === 'object' && key !== null) {
    const isNamed = typeof name === 'string' && name !== '';
    if (isNamed) found = `a namespace that is ${foundText(namespace)}`;
    else found = 'metadata' in key ? 'an object with metadata: pass its metadata' : nameText(name);
  }
  throw new TypeError(`${kindText(kind)}: expected the key of one object as { namespace, name }, found ${found}`);
}

function nameText(name: unknown): string {
  return name === '' ? 'an empty name' : `a name that is ${foundText(name)}`;
}

/** The options of each call. The compiler checks them against the interfaces. */
const CALL = { signal: true, timeout: true, retry: true } satisfies Record<keyof CallOptions, true>;
const GET = { ...CALL, resourceVersion: true } satisfies Record<keyof GetOptions, true>;
const LIST = {
  ...GET,
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
  resourceVersionMatch: true,
  limit: true,
  continue: true,
  total: true,
  onContinue: true,
  index: true,
} satisfies Record<keyof ListOptions, true>;
const { index: _, ...SERVER_LIST } = LIST;
const TABLE = { ...SERVER_LIST, includeObject: true } satisfies Record<keyof TableOptions, true>;
const WATCH = {
  signal: true,
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
  resourceVersion: true,
  sendInitialEvents: true,
  allowWatchBookmarks: true,
  timeoutSeconds: true,
  total: true,
} satisfies Record<keyof WatchOptions, true>;
const WRITE = {
  ...CALL,
  fieldManager: true,
  dryRun: true,
  fieldValidation: true,
  force: true,
} satisfies Record<keyof ApplyOptions, true>;
const DELETION = { ...CALL, propagationPolicy: true, gracePeriodSeconds: true, dryRun: true } as const;
const DELETE = { ...DELETION, preconditions: true } satisfies Record<keyof DeleteOptions, true>;
const DELETE_COLLECTION = {
  ...DELETION,
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
} satisfies Record<keyof DeleteCollectionOptions, true>;

const KNOWN = {
  get: Object.keys(GET),
  list: Object.keys(LIST),
  table: Object.keys(TABLE),
  watch: Object.keys(WATCH),
  write: Object.keys(WRITE),
  delete: Object.keys(DELETE),
  deleteCollection: Object.keys(DELETE_COLLECTION),
};

/**
 * Refuses unknown options: a misspelt selector would select everything, and a misspelt `dryRun` would write.
 *
 * @throws {TypeError} that names the unknown options and the known ones, or if `kind` is not a kind.
 */
export function checkCallOptions(call: keyof typeof KNOWN, kind: Kind<KubernetesObject>, options: unknown): void {
  checkKind(call, kind);
  if (options === undefined) return;
  checkKnownOptions(`${call} of ${kindText(kind)}`, options, KNOWN[call]);
  const selectors = options as Readonly<Record<string, unknown>>;
  for (const name of ['namespace', 'labelSelector', 'fieldSelector']) {
    const value = selectors[name];
    if (value === undefined || typeof value === 'string') continue;
    const example = name === 'namespace' ? '' : ', for example "app=web"';
    throw new TypeError(
      `${call} of ${kindText(kind)}: option ${name}: expected text${example}, found ${foundText(value)}`,
    );
  }
}

/**
 * Checks the options of a watch. A signal is required, because only a signal ends a watch.
 *
 * @throws {TypeError} if there is no signal, or for the reasons of {@link checkCallOptions}.
 */
export function checkWatchOptions(kind: Kind<KubernetesObject>, options: unknown): void {
  checkCallOptions('watch', kind, options ?? {});
  const { signal } = Object(options) as Readonly<Record<string, unknown>>;
  if (typeof (Object(signal) as { readonly aborted?: unknown }).aborted === 'boolean') return;
  throw new TypeError(
    `watch of ${kindText(kind)}: option signal: expected an AbortSignal, found ${foundText(signal)}: pass { signal } to end the watch`,
  );
}
