import type { ReviewContext } from '../access/reviews.ts';
import { answerReview } from './review.ts';
import { decodeObject } from '../resources/metadata.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { prefersYaml } from '../representation/media-type.ts';
import { negotiate } from '../representation/negotiate.ts';
import type { FeatureGates } from '../feature-gates.ts';
import { parseSelection, requireSelectors, type Selection } from '../selectors/selection.ts';
import { parseShardSelector } from '../selectors/shard-filter.ts';
import { methodNotAllowed, notAcceptable, StatusError } from '../status.ts';
import { inTurns, Turn } from '../turn.ts';
import { admitAction } from '../verbs/admitted.ts';
import { creating } from '../verbs/create.ts';
import { removing } from '../verbs/delete.ts';
import { list, requireListOptions } from '../verbs/list.ts';
import { requireIntegers } from '../verbs/query-numbers.ts';
import { run } from '../verbs/steps.ts';
import { find } from '../verbs/target.ts';
import type { Backend } from '../verbs/target.ts';
import { inVersion, inVersionNow, isInVersion } from '../verbs/version-conversion.ts';
import { untilVersion } from '../verbs/version.ts';
import { Watch } from '../verbs/watch.ts';
import { isTrue, parseWatchOptions } from '../verbs/watch-options.ts';
import { requireAcceptable, requireAcceptableList } from './acceptable.ts';
import { readDeleteOptions } from './delete-options.ts';
import { warnOfOrphans } from './orphan-warning.ts';
import type { Exchange } from './exchange.ts';
import type { CollectionRoute } from './route.ts';
import { dropUnknownFields, parseWriteOptions, readBody } from './write-options.ts';

/** Media types of watches. */
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** A cluster with the state that watches need. */
export interface WatchedBackend extends Backend {
  /** In milliseconds. */
  readonly bookmarkInterval: number;
  readonly featureGates: FeatureGates;
  /** All open watches. */
  readonly watches: Set<Watch>;
}

/** Serves a request for the objects of a kind: list, watch, create or deletecollection. @throws {StatusError} */
export function serveCollection(
  backend: WatchedBackend,
  route: CollectionRoute,
  exchange: Exchange,
  context: ReviewContext,
): Promise<void> {
  if (route.type.review && exchange.method !== 'POST') throw methodNotAllowed();
  const { method, query } = exchange;
  const accept = exchange.header('accept');
  if (route.type.builtIn && method === 'GET') requireAcceptableList(accept);
  else if (route.type.builtIn && (method === 'POST' || method === 'DELETE')) requireAcceptable(accept);
  if (route.type.deprecation !== undefined) exchange.warn(route.type.deprecation);
  if (method === 'GET' || method === 'DELETE') {
    requireIntegers(query, ['limit', 'timeoutSeconds']);
    requireSelectors(query);
  }
  switch (method) {
    case 'GET':
      return isTrue(query.get('watch')) ? serveWatch(backend, route, exchange) : serveList(backend, route, exchange);
    case 'POST':
      return serveCreate(backend, route, exchange, context);
    case 'DELETE':
      return serveDeleteCollection(backend, route, exchange);
    default:
      throw methodNotAllowed();
  }
}

async function serveList(backend: WatchedBackend, route: CollectionRoute, exchange: Exchange): Promise<void> {
  const { type } = route;
  const { query } = exchange;
  requireListOptions(query);
  const representation = negotiate(exchange.header('accept'), type, query);
  const page = await list(backend, type, selectionOf(backend, route, query), query);
  const items = await inVersion(type, page.items);
  await exchange.sendParts(200, await representation.list({ ...page, items }), representation.contentType);
}

/** Returns the objects of a list or a watch. @throws {StatusError} 400 if a selector is invalid. */
function selectionOf(
  { featureGates }: WatchedBackend,
  { type, namespace }: CollectionRoute,
  query: URLSearchParams,
): Selection {
  const selection = parseSelection(type, namespace, query);
  // An empty parameter counts as none.
  const shardSelector = query.get('shardSelector');
  if (!featureGates.ShardedListAndWatch || !shardSelector) return selection;
  return { ...selection, shard: parseShardSelector(shardSelector) };
}

/**
 * Serves a watch.
 *
 * @param query parameters, by default those of the request.
 * @throws {StatusError}
 */
export async function serveWatch(
  backend: WatchedBackend,
  route: CollectionRoute,
  exchange: Exchange,
  query: URLSearchParams = exchange.query,
): Promise<void> {
  const { type } = route;
  if (prefersYaml(exchange.header('accept'))) throw notAcceptable(STREAMS);
  const representation = negotiate(exchange.header('accept'), type, query);
  const selection = selectionOf(backend, route, query);
  const options = parseWatchOptions(query, backend.bookmarkInterval);
  let failure: StatusError | undefined;
  if (options.initial) {
    try {
      await untilVersion(backend.store, options.version, query.get('resourceVersion') ?? '');
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      failure = error;
    }
  }
  const output = exchange.stream(200, representation.streamContentType);
  if (failure) {
    output.end(representation.error(failure.toStatus()));
    return;
  }
  const watch = new Watch(backend.store, { type, selection, options, representation }, output);
  backend.watches.add(watch);
  watch.onEnd(() => backend.watches.delete(watch));
}

async function serveCreate(
  backend: Backend,
  { type, namespace }: CollectionRoute,
  exchange: Exchange,
  context: ReviewContext,
): Promise<void> {
  if (type.scope === 'Namespaced' && namespace === '') throw methodNotAllowed();
  const { query } = exchange;
  const representation = negotiate(exchange.header('accept'), type, query);
  exchange.requireObjectType();
  const options = parseWriteOptions(exchange, 'CreateOptions');
  const sent = await readBody(exchange, options, type);
  const body = await inTurns(dropUnknownFields(exchange, type, sent, options, new Turn()));
  if (type.review) {
    const attributes = { type, apiVersion: apiVersionOf(type), kind: type.kind, subresource: '', namespace, name: '' };
    const asked = decodeObject(type, await run(admitAction(backend, options.admission, attributes, body)));
    exchange.send(201, answerReview(backend, type, asked, namespace, options.manager, context));
    return;
  }
  const stored = await run(creating(backend, { type, namespace, body, user: context.user, ...options }));
  const created = isInVersion(type, stored) ? stored : await inVersionNow(type, stored);
  exchange.sendBytes(201, representation.object(created), representation.contentType);
}

async function serveDeleteCollection(
  backend: Backend,
  { type, namespace }: CollectionRoute,
  exchange: Exchange,
): Promise<void> {
  // Namespaces, and the objects of all namespaces, cannot be deleted together.
  if (type.storage === 'namespaces' || (type.scope === 'Namespaced' && namespace === '')) throw methodNotAllowed();
  const { query } = exchange;
  const representation = negotiate(exchange.header('accept'), type, query);
  const options = await readDeleteOptions(exchange);
  const selection = parseSelection(type, namespace, query);
  warnOfOrphans(exchange, type, options);
  const page = await list(backend, type, selection, query);
  const turn = new Turn();
  for (const item of page.items) {
    if (turn.isOver) await turn.next();
    const target = { type, namespace: item.namespace, name: item.name };
    if (find(backend, target)) await run(removing(backend, target, { ...options, ofCollection: true }));
  }
  const items = await inVersion(type, page.items);
  await exchange.sendParts(200, await representation.list({ ...page, items }), representation.contentType);
}
