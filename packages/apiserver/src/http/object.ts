import { APPLY_PATCH, isPatchType, patchOf } from '../patch/patch.ts';
import { negotiate } from '../representation/negotiate.ts';
import type { Status } from '../status.ts';
import { badRequest, invalid, invalidField, methodNotAllowed, StatusError } from '../status.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { decodeObject } from '../resources/metadata.ts';
import { jsonType } from '../resources/metadata-types.ts';
import { applying } from '../verbs/apply.ts';
import { removing } from '../verbs/delete.ts';
import { run } from '../verbs/steps.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { get } from '../verbs/target.ts';
import type { Part } from '../verbs/written-part.ts';
import { modifying, updating } from '../verbs/update.ts';
import { inVersionNow, isInVersion } from '../verbs/version-conversion.ts';
import { parseVersion, untilVersion } from '../verbs/version.ts';
import { requireAcceptable } from './acceptable.ts';
import { readDeleteOptions } from './delete-options.ts';
import { readApplyBody, reportDuplicateKeys } from './apply-body.ts';
import type { Exchange } from './exchange.ts';
import { serveBinding } from './binding.ts';
import { serveConnect } from './connect.ts';
import { serveEviction } from './eviction.ts';
import { orUnpatched, rejected } from './patch-fault.ts';
import { readPatchBody } from './patch-body.ts';
import type { ObjectRoute } from './route.ts';
import { servePodLog } from './pod-log.ts';
import { serveScale } from './scale.ts';
import type { TokenBackend } from './token-request.ts';
import { serveTokenRequest } from './token-request.ts';
import { dropUnknownFields, parseWriteOptions, readBody } from './write-options.ts';

/** Methods of objects. The router refuses others before it looks at headers. */
const SERVED_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH', 'DELETE', 'POST']);

/** The router refuses a patch of a built-in kind in another media type before the handler runs. */
function isReadable({ type }: ObjectRoute, { method, contentType }: Exchange): boolean {
  return method !== 'PATCH' || !type.builtIn || isPatchType(contentType);
}

/** Serves a request for an object or a part of it. @throws {StatusError} */
export async function serveObject(backend: TokenBackend, route: ObjectRoute, exchange: Exchange): Promise<void> {
  // The router has no such route.
  if (route.part === 'finalize' && exchange.method !== 'PUT') throw methodNotAllowed();
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
      return servePart(backend, { ...route, part }, exchange);
  }
}

interface PartRoute extends ObjectRoute {
  readonly part: Part;
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
      const body = dropUnknownFields(exchange, route.type, await readBody(exchange, options, route.type), options);
      const { object, created } = await run(updating(backend, { target: route, part, body, ...options }));
      return { code: created ? 201 : 200, object };
    }
    case 'PATCH':
      return exchange.contentType === APPLY_PATCH
        ? applyPatch(backend, route, exchange)
        : mergePatch(backend, route, exchange);
    case 'DELETE': {
      if (part !== 'object') throw methodNotAllowed();
      const options = await readDeleteOptions(exchange, route.type);
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
  const change = (current: unknown): ApiObject => {
    const { value: body, ...faults } = patchBody.parse();
    const value = patch(current, body ?? {}, type.schema);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw rejected();
    return orUnpatched(value, () => {
      requirePatchedIdentity(type, value);
      const kept = dropUnknownFields(exchange, type, { value, ...faults }, options);
      return decodeObject(type, kept, type.builtIn);
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

/** @throws {StatusError} 400 if a part of the identity has another type. */
function requireText(field: string, value: unknown): void {
  if (value === undefined || value === null || typeof value === 'string') return;
  const why = `json: cannot unmarshal ${jsonType(value)} into Go struct field .${field} of type string`;
  throw badRequest(`couldn't get version/kind; json parse error: ${why}`);
}

/** @throws {StatusError} if a patch removed or changed the kind or the version of a custom resource. */
function requirePatchedIdentity(type: ResourceType, value: object): void {
  const { apiVersion, kind, metadata } = value as Partial<Record<'apiVersion' | 'kind', unknown>> & Partial<ApiObject>;
  requireText('kind', kind);
  requireText('apiVersion', apiVersion);
  if (type.builtIn) return;
  if (typeof kind !== 'string' || kind === '')
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    const message = `Object 'apiVersion' is missing in 'object has no apiVersion field'`;
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  const expected = apiVersionOf(type);
  if (apiVersion === expected || kind !== type.kind) return;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const errors = [invalidField('apiVersion', apiVersion, `must be ${expected}`)];
  throw invalid({ group, kind }, metadata?.name ?? '', errors);
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
