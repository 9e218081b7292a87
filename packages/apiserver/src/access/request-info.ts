import { isTrue } from '../verbs/watch-options.ts';

/** Attributes of a request, in the terms of RBAC rules. (Upstream: `apiserver/pkg/endpoints/request.RequestInfo`.) */
export type RequestInfo = ResourceRequest | PathRequest;

export interface ResourceRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** `''` for cluster-scoped objects and for all namespaces. */
  readonly namespace: string;
  /** `''` if the request names no object. */
  readonly name: string;
}

/** A request for a path that does not belong to a resource, such as `/version`. */
export interface PathRequest {
  readonly verb: string;
  readonly path: string;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of a namespace. Other paths below a namespace are resources in it. */
const OF_NAMESPACE = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const verb = VERBS[method] ?? 'get';
  const [root, ...segments] = path.split('/').filter((segment) => segment !== '');
  const [group, below] = root === 'apis' ? [segments[0] ?? '', segments.slice(2)] : ['', segments.slice(1)];
  // A deprecated path of a watch, such as `/api/v1/watch/pods`.
  const isWatch = below[0] === 'watch' && below.length > 1;
  const rest = isWatch ? below.slice(1) : below;
  if ((root !== 'api' && root !== 'apis') || rest.length === 0) return { verb, path };

  const [first, second = '', third] = rest;
  const within = first === 'namespaces' && third !== undefined && !OF_NAMESPACE.has(third);
  const [resource = '', name = '', subresource = ''] = within ? rest.slice(2) : rest;
  const namespace = first === 'namespaces' ? second : '';
  if (isWatch) return { verb: 'watch', group, resource, subresource, namespace, name };
  if (name !== '') return { verb, group, resource, subresource, namespace, name };
  const selected = { group, resource, subresource, namespace, name: selectedName(query) };
  if (verb === 'get') return { verb: isTrue(query.get('watch')) ? 'watch' : 'list', ...selected };
  return { ...selected, verb: verb === 'delete' ? 'deletecollection' : verb };
}

/** A list that selects one object by name is authorized like a request for that object. */
function selectedName(query: URLSearchParams): string {
  return /^metadata\.name=+([^,=!]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}
