import type { TransportRequest } from '../transport/transport.ts';

/** The attributes of a request to an API server, in RBAC terms. */
export interface RequestInfo {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`. */
  readonly verb: string;
  /** For example `configmaps`, `deployments.apps` or `deployments.apps/status`. */
  readonly resource: string;
  readonly namespace?: string;
  /** Name of the object; of a `list` or `watch`, the one that its field selector requires. */
  readonly name?: string;
}

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** Subresources of a namespace. Other path segments after its name are resources in it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/**
 * Parses a request's method and path. Returns `undefined` for requests without a resource, such as discovery.
 * (Upstream: `RequestInfoFactory` of apiserver's `endpoints/request`.)
 */
export function requestInfo({ method, path }: Pick<TransportRequest, 'method' | 'path'>): RequestInfo | undefined {
  const [pathname = '', query] = path.split('?', 2);
  const [root, ...segments] = pathname.split('/').filter((segment) => segment !== '');
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (segments.shift() ?? '') : '';
  const [, ...rest] = segments;

  let namespace: string | undefined;
  if (rest[0] === 'namespaces' && rest[2] !== undefined && !NAMESPACE_SUBRESOURCES.has(rest[2])) {
    [, namespace] = rest.splice(0, 2);
  }
  const [plural, name, subresource] = rest;
  if (plural === undefined) return undefined;
  const verb = verbOf(method, { isCollection: name === undefined, query });
  const object = name === undefined ? selectedName(verb, query) : decodeURIComponent(name);
  return {
    verb,
    resource: plural + (group && `.${group}`) + (subresource === undefined ? '' : `/${subresource}`),
    ...(namespace !== undefined && { namespace: decodeURIComponent(namespace) }),
    ...(object !== undefined && { name: object }),
  };
}

function verbOf(
  method: TransportRequest['method'],
  { isCollection, query }: { readonly isCollection: boolean; readonly query: string | undefined },
): string {
  if (!isCollection) return VERBS[method];
  if (method === 'DELETE') return 'deletecollection';
  if (method !== 'GET') return VERBS[method];
  return new URLSearchParams(query).get('watch') === 'true' ? 'watch' : 'list';
}

/** Returns the name that a field selector requires. RBAC compares it with `resourceNames`. */
function selectedName(verb: string, query: string | undefined): string | undefined {
  if (verb !== 'list' && verb !== 'watch') return undefined;
  const selector = new URLSearchParams(query).get('fieldSelector') ?? '';
  return /(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/u.exec(selector)?.[1];
}
