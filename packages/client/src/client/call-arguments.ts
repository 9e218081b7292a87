import * as z from 'zod';
import { anyValue } from '../options/any-value.ts';
import { foundText } from '../options/found-text.ts';
import { parseOptions } from '../options/parse-options.ts';
import { checkKind } from '../kinds/check-kind.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { shardSelectorSchema } from '../shards/shard-selector.ts';
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

const SELECTOR = 'expected a selector such as "app=web"';
const selection = {
  namespace: z.string().optional(),
  labelSelector: z.string(SELECTOR).optional(),
  fieldSelector: z.string(SELECTOR).optional(),
};

const LIMIT = 'expected a whole number of objects, 0 or more';
const limit = z.int(LIMIT).min(0, LIMIT).optional();

const call = { signal: anyValue, timeout: anyValue, retry: anyValue } satisfies Fields<CallOptions>;
const get = {
  ...call,
  resourceVersion: z.string('expected a resource version such as "7", which is a string').optional(),
} satisfies Fields<GetOptions>;
const table = {
  ...get,
  ...selection,
  resourceVersionMatch: anyValue,
  limit,
  continue: anyValue,
  total: anyValue,
  onContinue: anyValue,
  includeObject: anyValue,
} satisfies Fields<TableOptions>;
const { includeObject: _, ...serverList } = table;
const shardSelector = shardSelectorSchema.optional();
const list = { ...serverList, shardSelector, index: anyValue } satisfies Fields<ListOptions>;
const watch = {
  signal: z.custom(isSignal, {
    error: ({ input }) => `expected an AbortSignal, found ${foundText(input)}: pass { signal } to end the watch`,
  }),
  ...selection,
  shardSelector,
  resourceVersion: anyValue,
  sendInitialEvents: anyValue,
  allowWatchBookmarks: anyValue,
  timeoutSeconds: anyValue,
  total: anyValue,
} satisfies Fields<WatchOptions>;
const write = {
  ...call,
  fieldManager: anyValue,
  dryRun: anyValue,
  fieldValidation: anyValue,
  force: anyValue,
} satisfies Fields<ApplyOptions>;
const deletion = { ...call, propagationPolicy: anyValue, gracePeriodSeconds: anyValue, dryRun: anyValue };
const deleteOne = { ...deletion, preconditions: anyValue } satisfies Fields<DeleteOptions>;
const deleteCollection = { ...deletion, ...selection } satisfies Fields<DeleteCollectionOptions>;

/** The compiler checks that every option of a call has a schema. */
type Fields<Options> = Record<keyof Options, z.ZodType>;

/** A group of calls with the same options. */
export type CallKind = 'get' | 'list' | 'table' | 'watch' | 'write' | 'delete' | 'deleteCollection';

const SCHEMAS = {
  get: z.strictObject(get),
  list: z.strictObject(list),
  table: z.strictObject(table),
  watch: z.strictObject(watch),
  write: z.strictObject(write),
  delete: z.strictObject(deleteOne),
  deleteCollection: z.strictObject(deleteCollection),
} satisfies Record<CallKind, z.ZodType>;

/**
 * Refuses unknown options: a misspelt selector would select everything, and a misspelt `dryRun` would write.
 *
 * @throws {TypeError} that names the unknown options and the known ones, or if `kind` is not a kind.
 */
export function checkCallOptions(call: CallKind, kind: Kind<KubernetesObject>, options: unknown): void {
  checkKind(call, kind);
  if (options !== undefined) parseOptions(`${call} of ${kindText(kind)}`, SCHEMAS[call], options);
}

/**
 * Checks the options of a watch. A signal is required, because only a signal ends a watch.
 *
 * @throws {TypeError} if there is no signal, or for the reasons of {@link checkCallOptions}.
 */
export function checkWatchOptions(kind: Kind<KubernetesObject>, options: unknown): void {
  checkCallOptions('watch', kind, options ?? {});
}

function isSignal(value: unknown): boolean {
  return typeof (Object(value) as { readonly aborted?: unknown }).aborted === 'boolean';
}
