import { parseFieldTerms } from '../selectors/field-selector.ts';
import { requireSelectors } from '../selectors/selection.ts';
import { StatusError } from '../status.ts';
import { requireIntegers } from '../verbs/query-numbers.ts';
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
  /** Method in lower case. */
  readonly verb: string;
  readonly path: string;
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of a namespace. Other paths below a namespace are resources in it. */
const OF_NAMESPACE = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const verb = VERBS[method] ?? '';
  // A namespace may be empty.
  const [root, ...segments] = path.replaceAll(/^\/+|\/+$/gu, '').split('/');
  const [group, below] = root === 'apis' ? [segments[0] ?? '', segments.slice(2)] : ['', segments.slice(1)];
  // A deprecated path of a watch, such as `/api/v1/watch/pods`.
  const isWatch = below[0] === 'watch' && below.length > 1;
  const rest = isWatch ? below.slice(1) : below;
  if ((root !== 'api' && root !== 'apis') || rest.length === 0) return { verb: method.toLowerCase(), path };

  const [first, second = '', third] = rest;
  const within = first === 'namespaces' && third !== undefined && !OF_NAMESPACE.has(third);
  const [resource = '', name = '', subresource = ''] = within ? rest.slice(2) : rest;
  const namespace = first === 'namespaces' ? second : '';
  if (isWatch) return { verb: 'watch', group, resource, subresource, namespace, name };
  if (name !== '') return { verb, group, resource, subresource, namespace, name };
  const collection = { group, resource, subresource, namespace };
  if (verb === 'get') {
    const isStream = isTrue(query.get('watch'));
    return { verb: isStream ? 'watch' : 'list', ...collection, name: selectedName(query) };
  }
  return { verb: verb === 'delete' ? 'deletecollection' : verb, ...collection, name: '' };
}

/**
 * Returns the name that a list or a watch selects, which is authorized like a request for that object; `''` if the query
 * selects no name, or is invalid. Upstream sorts the terms of a selector.
 */
function selectedName(query: URLSearchParams): string {
  const text = query.get('fieldSelector') ?? '';
  // Names of objects contain no escaped characters.
  if (text.includes('\\')) return '';
  try {
    requireIntegers(query, ['limit', 'timeoutSeconds']);
    requireSelectors(query);
  } catch (error) {
    if (error instanceof StatusError) return '';
    throw error;
  }
  const terms = parseFieldTerms(text.split(',').toSorted().join(','));
  const name = terms.find(({ field, equal }) => field === 'metadata.name' && equal)?.value ?? '';
  return isPathSegment(name) ? name : '';
}

function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/%]/u.test(name);
}
