import type { Attributes } from '../admission/attributes.ts';
import { badRequest, methodNotAllowed, notImplemented } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { run } from '../verbs/steps.ts';
import type { Steps } from '../verbs/steps.ts';
import type { Backend } from '../verbs/target.ts';
import { isTrue } from '../verbs/watch-options.ts';
import { requireDestination } from './connection-target.ts';
import type { Exchange } from './exchange.ts';
import type { Connection, ObjectRoute } from './route.ts';

const PROXY_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const UPGRADE_METHODS: ReadonlySet<string> = new Set(['GET', 'POST']);

/** Kinds of the options, by the plural of the resource and the subresource. */
const KINDS: Readonly<Record<string, string>> = {
  'pods/attach': 'PodAttachOptions',
  'pods/exec': 'PodExecOptions',
  'pods/portforward': 'PodPortForwardOptions',
  'pods/proxy': 'PodProxyOptions',
  'services/proxy': 'ServiceProxyOptions',
  'nodes/proxy': 'NodeProxyOptions',
};

/**
 * Serves a request for a connection up to the point where a real server dials: asks the webhooks and policies, and looks
 * for the destination. (Upstream: `ConnectResource`.)
 *
 * @throws {StatusError} always: 501 at the end, because no kubelet and no container runs.
 */
export async function serveConnect(
  backend: Backend,
  route: ObjectRoute & { readonly connection: Connection },
  exchange: Exchange,
): Promise<never> {
  const { type, name, namespace, connection } = route;
  const { subresource } = connection;
  const { method, query, admission } = exchange;
  if (!(subresource === 'proxy' ? PROXY_METHODS : UPGRADE_METHODS).has(method)) throw methodNotAllowed();
  if (query.getAll('dryRun').some((value) => value !== '')) throw badRequest('dryRun is not supported');
  const kind = { group: '', version: 'v1', kind: KINDS[`${type.plural}/${subresource}`] ?? '' };
  const sent: JsonObject = { kind: kind.kind, apiVersion: kind.version, ...optionsOf(connection, query) };
  const place = { operation: 'CONNECT', type, kind, subresource, namespace, name, oldObject: undefined } as const;
  const write = admission?.({ dryRun: false, options: () => null });
  const options = write ? await run(admitted(write, { ...place, object: sent as unknown as ApiObject })) : sent;
  requireDestination(backend, route, subresource, options);
  throw notImplemented(`${type.plural} "${name}": no kubelet or proxy runs behind this API server`);
}

function* admitted(
  admission: NonNullable<ReturnType<NonNullable<Exchange['admission']>>>,
  attributes: Attributes,
): Steps<JsonObject> {
  const object = yield* admission.mutate(attributes);
  yield* admission.validate({ ...attributes, object });
  return object ?? {};
}

/** Returns the options in a query. Parameters without a meaning are ignored, as upstream. */
function optionsOf({ subresource, path }: Connection, query: URLSearchParams): JsonObject {
  const flags = (...names: string[]): JsonObject =>
    Object.fromEntries(names.filter((name) => isTrue(query.get(name))).map((name) => [name, true]));
  const container = query.get('container') ?? '';
  const streams = { ...flags('stdin', 'stdout', 'stderr', 'tty'), ...(container !== '' && { container }) };
  switch (subresource) {
    case 'attach':
      return streams;
    case 'exec':
      return { ...streams, command: query.has('command') ? query.getAll('command') : null };
    case 'portforward':
      return query.has('ports') ? { ports: query.getAll('ports').flatMap(portsOf) } : {};
    case 'proxy':
      return path === '' ? {} : { path };
  }
}

/** @throws {StatusError} 400 if a port is not a number. */
function portsOf(text: string): number[] {
  return text.split(',').map((port) => {
    if (!/^\d{1,5}$/u.test(port)) {
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(port)}: invalid syntax`);
    }
    return Number(port);
  });
}
