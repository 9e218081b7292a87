import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { isGone } from '../response/api-error.ts';
import type { ListOptions, Reader } from './client.ts';

const PAGE_SIZE = 500;

/**
 * Lists objects page by page, so that neither the server nor the caller holds all of them in memory. All pages come from
 * one snapshot, identified by `metadata.resourceVersion`.
 *
 * If the snapshot expires before the last page is read (API servers keep it for a few minutes), everything is listed
 * again and returned as one final page of a newer version. That page repeats objects of earlier pages and replaces
 * them. A cache returns everything as one page. (Upstream: client-go's `tools/pager`.)
 *
 * @param options.limit objects per page. Default: 500.
 * @throws {ApiError} if the server refuses a page.
 * @throws {TransportError} with the code `oversized` if the pages together exceed `limits.list`.
 *
 * @example
 * for await (const { items } of listPages(cluster.apiReader, Pod, { namespace: 'shop' })) count(items);
 */
export async function* listPages<T extends KubernetesObject>(
  reader: Pick<Reader, 'list'>,
  kind: Kind<T>,
  { limit = PAGE_SIZE, ...options }: Omit<ListOptions, 'continue' | 'total'> = {},
): AsyncGenerator<DeepReadonly<KubernetesList<T>>, void, undefined> {
  // The token contains the version; servers refuse it together with a `resourceVersion`.
  const { resourceVersion: _, resourceVersionMatch: __, ...following } = options;
  const total = { bytes: 0 };
  let page = await reader.list(kind, { ...options, limit, total });
  while (page.metadata.continue) {
    yield page;
    try {
      page = await reader.list(kind, { ...following, limit, total, continue: page.metadata.continue });
    } catch (error) {
      if (!isGone(error)) throw error;
      yield await reader.list(kind, following);
      return;
    }
  }
  // A cache truncates its result and has no continue token.
  yield page.metadata.remainingItemCount ? await reader.list(kind, options) : page;
}
