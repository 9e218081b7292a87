import type { Kind, KubernetesObject, ObjectKey, RestMapper } from '@mcr/client';
import { isApiError, isNoKindMatch, isNotFound, parseApiVersion } from '@mcr/client';

/** Returns whether `error` is an API server's answer that one object does not exist. A gateway in front of it names none. */
export function isMissingObject(error: unknown, { name }: Pick<ObjectKey, 'name'>): boolean {
  return isApiError(error) && isNotFound(error) && error.reason === 'NotFound' && error.details?.name === name;
}

/**
 * Calls `read` with a kind, or with the version of it that a cluster serves. A 404 alone does not prove that there are no
 * objects: a gateway in front of the API server may have sent it, or the API server may have ceased to serve this version.
 * So it asks the cluster what it serves now.
 *
 * @returns `undefined` if the cluster does not serve the kind in any version.
 * @throws the error of `read`, if that is another one, or the cluster says that it serves the kind.
 */
export async function readServed<Value>(
  { restMapper }: { readonly restMapper: Pick<RestMapper, 'resources' | 'forget'> },
  kind: Kind<KubernetesObject>,
  read: (kind: Kind<KubernetesObject>) => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await read(kind);
  } catch (error) {
    if (!isNotFound(error) && !isNoKindMatch(error)) throw error;
    const { group } = parseApiVersion(kind.apiVersion);
    const resources = await restMapper.resources();
    // A cluster always serves the core group and some others. Otherwise, something else has answered.
    for (const isCore of [true, false]) {
      if (!resources.some(({ apiVersion }) => (parseApiVersion(apiVersion).group === '') === isCore)) throw error;
    }
    const served = resources.filter(
      ({ apiVersion, kind: name, plural }) =>
        name === kind.kind && parseApiVersion(apiVersion).group === group && !plural.includes('/'),
    );
    const [other] = served;
    if (!other) return undefined;
    if (served.some(({ apiVersion }) => apiVersion === kind.apiVersion)) {
      restMapper.forget(kind);
      throw error;
    }
    return read({ ...kind, apiVersion: other.apiVersion, plural: other.plural, scope: other.scope });
  }
}
