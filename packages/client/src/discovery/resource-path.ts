import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { RestMapping } from './rest-mapper.ts';

/** Returns the path of all objects of a kind, in one namespace or, without a namespace, in all. */
export function collectionPath(
  kind: Kind<KubernetesObject>,
  mapping: RestMapping,
  namespace: string | undefined,
): string {
  if (!namespace) return `${mapping.path}/${mapping.plural}`;
  if (mapping.scope === 'Cluster') {
    // Namespaced clients and caches with namespaces add theirs to kinds whose definition has no scope.
    const remedy = kind.scope === undefined ? ", and define the kind with scope: 'Cluster'" : '';
    const found = JSON.stringify(namespace);
    throw new TypeError(`${kindText(kind)} is cluster-scoped: remove the namespace (found ${found})${remedy}`);
  }
  return `${mapping.path}/namespaces/${segment('namespace', namespace)}/${mapping.plural}`;
}

/**
 * Checks a namespace against the scope in the kind's definition, if any. Used where no path is built, such as in a
 * cache, so that a wrong key fails as it does with the API client.
 *
 * @throws {TypeError} if a namespaced object has no namespace, or a cluster-scoped object has one.
 */
export function checkScope(kind: Kind<KubernetesObject>, namespace: string | undefined): void {
  if (kind.scope === 'Namespaced' && !namespace) {
    throw new TypeError(`${kindText(kind)} is namespaced: set the namespace of the object`);
  }
  if (kind.scope === 'Cluster' && namespace) {
    throw new TypeError(
      `${kindText(kind)} is cluster-scoped: remove the namespace (found ${JSON.stringify(namespace)})`,
    );
  }
}

/** Returns the path of one object or of its subresource. */
export function objectPath(
  kind: Kind<KubernetesObject>,
  mapping: RestMapping,
  target: { readonly namespace?: string | undefined; readonly name: string; readonly subresource?: string | undefined },
): string {
  const { namespace, name, subresource } = target;
  if (!namespace && mapping.scope === 'Namespaced') {
    throw new TypeError(`${kindText(kind)} is namespaced: set the namespace of ${JSON.stringify(name)}`);
  }
  const path = `${collectionPath(kind, mapping, namespace)}/${segment('name', name)}`;
  return subresource === undefined ? path : `${path}/${segment('subresource', subresource)}`;
}

/** Returns whether the name of a resource that a server reports is one segment of a path, so that no server leads to another path. */
export function isResourceName(name: string): boolean {
  return name !== '.' && name !== '..' && /^[^/%?#\\\s\p{Cc}]+$/u.test(name);
}

/** Like {@link isResourceName}, for a group version, for example `v1` or `apps/v1`. */
export function isGroupVersion(apiVersion: string): boolean {
  return /^([a-z0-9][-a-z0-9.]*\/)?[a-z0-9][-a-z0-9.]*$/i.test(apiVersion);
}

/**
 * Returns a name as one segment of a path. Refuses names that would lead to another path, as the API server does
 * (apimachinery `pkg/api/validation/path`).
 */
function segment(what: string, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new TypeError(
      `${JSON.stringify(name)} is not a valid ${what}: expected text without "/" or "%" that is not empty, "." or ".."`,
    );
  }
  return encodeURIComponent(name);
}
