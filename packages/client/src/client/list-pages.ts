import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { isGone } from '../response/api-error.ts';
import type { ListOptions, Reader } from './client.ts';

const PAGE_SIZE = 500;

/**
 * A list page by page, so that neither the server nor the caller holds all of it at once. All pages are of one
 * version: that of the first.
 *
 * A server keeps that version for a few minutes. Once it has gone, the pages that are missing cannot be read; then
 * everything is listed anew, as one last page of a newer version, in which the objects of earlier pages come again.
 * So no object is missed, and a page with another `metadata.resourceVersion` than the first replaces all before it. A
 * cache gives everything as one page. (Upstream: client-go's `tools/pager`.)
 *
 * @param options.limit objects per page. Default: 500.
 * @throws {ApiError} when the server refuses a page.
 * @throws {TransportError} with the code `oversized`, when the pages together exceed `limits.list`.
 *
 * @example
 * for await (const { items } of listPages(cluster.apiReader, Pod, { namespace: 'shop' })) count(items);
 */
export async function* listPages<T extends KubernetesObject>(
  reader: Pick<Reader, 'list'>,
  kind: Kind<T>,
  { limit = PAGE_SIZE, ...options }: Omit<ListOptions, 'continue' | 'total'> = {},
): AsyncGenerator<DeepReadonly<KubernetesList<T>>, void, undefined> {
  // A token has the version within it: a server takes no other beside it.
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
  // A cache cuts its answer, and has no token to go on with.
  yield page.metadata.remainingItemCount ? await reader.list(kind, options) : page;
}
