import type { TransportRequest } from '@mcr/client';

/** Reviews ask the API server a question by a POST. The server stores nothing. */
const REVIEW = /^\/apis\/(?:authentication|authorization)\.k8s\.io\/[^/]+\/(?:namespaces\/[^/]+\/)?[a-z]+reviews$/;

/**
 * Whether a request may change the cluster. Requests other than GET do, including those to subresources, except dry runs
 * and the creation of reviews (`TokenReview`, `SubjectAccessReview` and others), which the manager's HTTP endpoints need
 * on every replica.
 *
 * The dry run of a deletion counts as a write: API servers ignore its query if it has a body. (Upstream: `DeleteResource`
 * of `apiserver/pkg/endpoints/handlers`.)
 */
export function isWrite({ method, path }: Pick<TransportRequest, 'method' | 'path'>): boolean {
  if (method === 'GET') return false;
  if (method === 'DELETE') return true;
  const end = path.indexOf('?');
  if (end === -1) return !(method === 'POST' && REVIEW.test(path));
  if (method === 'POST' && REVIEW.test(path.slice(0, end))) return false;
  const dryRun = new URLSearchParams(path.slice(end)).getAll('dryRun');
  return !(dryRun.length === 1 && dryRun[0] === 'All');
}
