import type { TransportRequest } from '../transport/transport.ts';

/** What a request to an API server asks for, in the words of RBAC. */
export interface RequestInfo {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`. */
  readonly verb: string;
  /** For example `configmaps`, `deployments.apps` or `deployments.apps/status`. */
  readonly resource: string;
  readonly namespace?: string;
}

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** Path segments under a namespace that are parts of the namespace itself, not resources in it. */
const OF_NAMESPACE = new Set(['status', 'finalize']);

/**
 * Reads a request's method and path; `undefined` when it is about no resource, as a discovery is.
 * (Upstream: `RequestInfoFactory` of apiserver's `endpoints/request`.)
 */
export function requestInfo({ method, path }: Pick<TransportRequest, 'method' | 'path'>): RequestInfo | undefined {
  const [pathname = '', query] = path.split('?', 2);
  const [root, ...segments] = pathname.split('/').filter((segment) => segment !== '');
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (segments.shift() ?? '') : '';
  const [, ...rest] = segments;

  let namespace: string | undefined;
  if (rest[0] === 'namespaces' && rest[2] !== undefined && !OF_NAMESPACE.has(rest[2]))
    [, namespace] = rest.splice(0, 2);
  const [plural, name, subresource] = rest;
  if (plural === undefined) return undefined;
  return {
    verb: verbOf(method, { isCollection: name === undefined, query }),
    resource: plural + (group && `.${group}`) + (subresource === undefined ? '' : `/${subresource}`),
    ...(namespace !== undefined && { namespace: decodeURIComponent(namespace) }),
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
