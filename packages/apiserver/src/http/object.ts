import { APPLY_PATCH, isPatchType, patchOf, STRATEGIC_PATCH } from '../patch/patch.ts';
import { CODEC_FROM, loadCodec } from '../protobuf/codec.ts';
import { negotiate } from '../representation/negotiate.ts';
import type { Status } from '../status.ts';
import { badRequest, methodNotAllowed, StatusError } from '../status.ts';
import { decodeObject, decoding } from '../resources/metadata.ts';
import type { Paused } from '../turn.ts';
import { inTurns, Turn } from '../turn.ts';
import { applying } from '../verbs/apply.ts';
import { removing } from '../verbs/delete.ts';
import { run } from '../verbs/steps.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { find, get } from '../verbs/target.ts';
import type { Part } from '../verbs/written-part.ts';
import { modifying, updating } from '../verbs/update.ts';
import { inVersionNow, isInVersion } from '../verbs/version-conversion.ts';
import { parseVersion, untilVersion } from '../verbs/version.ts';
import { requireAcceptable } from './acceptable.ts';
import { readDeleteOptions } from './delete-options.ts';
import { warnOfOrphans } from './orphan-warning.ts';
import { readApplyBody, reportDuplicateKeys } from './apply-body.ts';
import type { Exchange } from './exchange.ts';
import { serveBinding } from './binding.ts';
import { serveConnect } from './connect.ts';
import { serveEviction } from './eviction.ts';
import { orUnpatched, rejected } from './patch-fault.ts';
import { readPatchBody } from './patch-body.ts';
import { fieldsWithoutVersion, requirePatchedIdentity } from './patched-identity.ts';
import type { ObjectRoute } from './route.ts';
import { servePodLog } from './pod-log.ts';
import { serveScale } from './scale.ts';
import type { TokenBackend } from './token-request.ts';
import { serveTokenRequest } from './token-request.ts';
import { dropUnknownFields, faultsOf, parseWriteOptions, readBody, reportFaults } from './write-options.ts';

/** Parts with one method. */
const ONLY_METHOD: Readonly<Partial<Record<ObjectRoute['part'], string>>> = {
  binding: 'POST',
  eviction: 'POST',
  finalize: 'PUT',
  token: 'POST',
};

/** Methods of objects. The router refuses others before it looks at headers. */
const SERVED_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH', 'DELETE', 'POST']);

/** The router refuses a patch of a built-in kind in another media type before the handler runs. */
function isReadable({ type }: ObjectRoute, { method, contentType }: Exchange): boolean {
  return method !== 'PATCH' || !type.builtIn || isPatchType(contentType);
}

/** Serves a request for an object or a part of it. @throws {StatusError} */
export async function serveObject(backend: TokenBackend, route: ObjectRoute, exchange: Exchange): Promise<void> {
  const only = ONLY_METHOD[route.part];
  if (only !== undefined && exchange.method !== only) throw methodNotAllowed();
  if (route.type.builtIn && SERVED_METHODS.has(exchange.method)) requireAcceptable(exchange.header('accept'));
  if (route.type.deprecation !== undefined && isReadable(route, exchange)) exchange.warn(route.type.deprecation);
  const { part } = route;
  switch (part) {
    case 'scale':
      return serveScale(backend, route, exchange);
    case 'eviction':
      return serveEviction(backend, route, exchange);
    case 'binding':
      return serveBinding(backend, route, exchange);
    case 'log':
      servePodLog(backend, route, exchange);
      return;
    case 'connect': {
      const { connection = { subresource: 'proxy', path: '' } } = route;
      const slash = connection.subresource === 'proxy' && exchange.path.endsWith('/') ? '/' : '';
      return serveConnect(
        backend,
        { ...route, connection: { ...connection, path: `${connection.path}${slash}` } },
        exchange,
      );
    }
    case 'token':
      return serveTokenRequest(backend, route, exchange);
    default:
      if (exchange.method !== 'GET' && needsCodec(backend, { ...route, part })) await loadCodec();
      return servePart(backend, { ...route, part }, exchange);
  }
}

interface PartRoute extends ObjectRoute {
  readonly part: Part;
}

/** The status of a built-in kind is stored as Go encodes it, and the size of a large object is that of its protobuf. */
function needsCodec(backend: Backend, route: PartRoute): boolean {
  if (!route.type.builtIn) return false;
  return route.part === 'status' || (find(backend, route)?.json.length ?? 0) >= CODEC_FROM;
}

async function servePart(backend: Backend, route: PartRoute, exchange: Exchange): Promise<void> {
  const representation = negotiate(exchange.header('accept'), route.type, exchange.query);
  const { code, object: stored, gone } = await execute(backend, route, exchange);
  const object = isInVersion(route.type, stored) ? stored : await inVersionNow(route.type, stored);
  if (gone && !route.type.returnsDeleted) exchange.send(code, deleted(route, object));
  else exchange.sendBytes(code, representation.object(object), representation.contentType);
}

interface Outcome {
  readonly code: number;
  readonly object: StoredObject;
  readonly gone?: boolean;
}

async function execute(backend: Backend, route: PartRoute, exchange: Exchange): Promise<Outcome> {
  const { query } = exchange;
  const { part } = route;
  switch (exchange.method) {
    case 'GET':
      await untilVersion(backend.store, versionOfGet(route, query), query.get('resourceVersion') ?? '');
      return { code: 200, object: get(backend, route) };
    case 'PUT': {
      const options = parseWriteOptions(exchange, 'UpdateOptions');
      const sent = await readBody(exchange, options, route.type);
      const body = await inTurns(dropUnknownFields(exchange, route.type, sent, options, new Turn()));
      const { object, created } = await run(updating(backend, { target: route, part, body, ...options }));
      return { code: created ? 201 : 200, object };
    }
    case 'PATCH':
      if (part === 'finalize') throw methodNotAllowed();
      return exchange.contentType === APPLY_PATCH
        ? applyPatch(backend, route, exchange)
        : mergePatch(backend, route, exchange);
    case 'DELETE': {
      if (part !== 'object') throw methodNotAllowed();
      const options = await readDeleteOptions(exchange);
      warnOfOrphans(exchange, route.type, options);
      const { object, gone } = await run(removing(backend, route, options));
      return { code: !gone && options.cascades ? 202 : 200, object, gone };
    }
    default:
      throw methodNotAllowed();
  }
}

async function mergePatch(backend: Backend, route: PartRoute, exchange: Exchange): Promise<Outcome> {
  const { type, part } = route;
  const patch = patchOf(type, exchange.contentType);
  const options = parseWriteOptions(exchange, 'PatchOptions');
  const patchBody = await readPatchBody(exchange, options);
  const isStrategic = exchange.contentType === STRATEGIC_PATCH;
  const change = function* (current: unknown, turn: Turn): Paused<ApiObject> {
    const { value: body, ...faults } = yield* patchBody.parse(turn);
    const value = yield* patch(current, body, type.schema, turn);
    if (typeof value !== 'object' || value === null) throw rejected();
    const shown = { patched: value, strategic: isStrategic ? { type, patch: body } : undefined };
    return yield* orUnpatched(shown, turn, function* () {
      requirePatchedIdentity(type, value);
      const unversioned = isStrategic ? undefined : fieldsWithoutVersion(type, value);
      if (unversioned) {
        reportFaults(exchange, type, faultsOf(faults, unversioned), options);
        return decodeObject(type, {});
      }
      const kept = yield* dropUnknownFields(exchange, type, { value, ...faults }, options, turn);
      return yield* decoding(type, kept, turn);
    });
  };
  return { code: 200, object: await run(modifying(backend, { target: route, part, change, ...options })) };
}

async function applyPatch(backend: Backend, route: PartRoute, exchange: Exchange): Promise<Outcome> {
  const { part } = route;
  const options = parseWriteOptions(exchange, 'ApplyOptions');
  const { value: body, duplicates } = await readApplyBody(exchange);
  const afterMerge = (): void => reportDuplicateKeys(exchange, duplicates, options);
  const { object, created } = await run(applying(backend, { target: route, part, body, afterMerge, ...options }));
  return { code: created ? 201 : 200, object };
}

/** A real server reports an invalid version of a get as an error of the storage. @throws {StatusError} 500 */
function versionOfGet({ type }: Target, query: URLSearchParams): number {
  try {
    return parseVersion(query.get('resourceVersion') ?? '');
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // Events are the only kind without a watch cache, which reports such a version as a fault of its own.
    if (type.storage === 'events') throw badRequest(`invalid resource version: ${error.message}`);
    throw new StatusError(500, undefined, error.message);
  }
}

function deleted({ type, name }: Target, { uid }: StoredObject): Status {
  const { group, plural } = type;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind: plural, uid },
  };
}
