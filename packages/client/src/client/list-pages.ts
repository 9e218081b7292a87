import { kindText, type Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { isGone, type ApiError } from '../response/api-error.ts';
import { invalidResponse } from '../response/response-body.ts';
import type { ListOptions, Reader } from './client.ts';

const PAGE_SIZE = 500;

/** Maximum number of pages with fewer objects than requested. API servers fill every page but the last. */
const MAX_SMALL_PAGES = 10_000;

/**
 * Lists objects page by page, so that neither the server nor the caller holds all of them in memory. All pages come from
 * one snapshot, identified by `metadata.resourceVersion`.
 *
 * If the snapshot expires before the last page is read (API servers keep it for a few minutes), everything is listed
 * again and returned as one final page of a newer version. That page repeats objects of earlier pages and replaces
 * them. A cache returns everything as one page. (Upstream: client-go's `tools/pager`.)
 *
 * @param options.limit objects per page. Default: 500.
 * @throws {ApiError} if the server refuses a page, or its list does not end: it repeats a continue token, or has sent 10,000
 * pages with fewer objects than requested.
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
  let smallPages = 0;
  while (page.metadata.continue) {
    const token = page.metadata.continue;
    if (page.items.length < limit) smallPages += 1;
    yield page;
    if (smallPages >= MAX_SMALL_PAGES)
      throw endlessList(kind, `it continues after ${smallPages} pages of fewer than ${limit} objects`);
    try {
      page = await reader.list(kind, { ...following, limit, total, continue: token });
      if (page.metadata.continue === token) throw endlessList(kind, 'the server repeats its continue token');
    } catch (error) {
      if (!isGone(error)) throw error;
      yield await reader.list(kind, following);
      return;
    }
  }
  // A cache truncates its result and has no continue token.
  yield page.metadata.remainingItemCount ? await reader.list(kind, options) : page;
}

function endlessList(kind: Kind<KubernetesObject>, problem: string): ApiError {
  return invalidResponse(`list of ${kindText(kind)}`, `${problem}: check what answers at the address of the cluster`);
}
