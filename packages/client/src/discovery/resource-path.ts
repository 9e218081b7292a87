import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { RestMapping } from './rest-mapper.ts';

/** The path of all objects of a kind, in one namespace or (without one) in all. */
export function collectionPath(
  kind: Kind<KubernetesObject>,
  mapping: RestMapping,
  namespace: string | undefined,
): string {
  if (!namespace) return `${mapping.path}/${mapping.plural}`;
  if (mapping.scope === 'Cluster') {
    // A namespaced client and a cache with namespaces add theirs to a kind that does not say its scope.
    const remedy = kind.scope === undefined ? ", and define the kind with scope: 'Cluster'" : '';
    const found = JSON.stringify(namespace);
    throw new TypeError(`${kindText(kind)} is cluster-scoped: give no namespace (found ${found})${remedy}`);
  }
  return `${mapping.path}/namespaces/${segment('namespace', namespace)}/${mapping.plural}`;
}

/**
 * Checks the key of one object against the scope that the kind was defined with, if it was: what no path is made of, such
 * as a read of a cache, is refused as the API client refuses it.
 *
 * @throws {TypeError} if a namespaced object has no namespace, or a cluster-scoped one has.
 */
export function checkScope(kind: Kind<KubernetesObject>, namespace: string | undefined): void {
  if (kind.scope === 'Namespaced' && !namespace) {
    throw new TypeError(`${kindText(kind)} is namespaced: name the namespace of the object`);
  }
  if (kind.scope === 'Cluster' && namespace) {
    throw new TypeError(`${kindText(kind)} is cluster-scoped: give no namespace (found ${JSON.stringify(namespace)})`);
  }
}

/** The path of one object, or of a subresource of it. */
export function objectPath(
  kind: Kind<KubernetesObject>,
  mapping: RestMapping,
  target: { readonly namespace?: string | undefined; readonly name: string; readonly subresource?: string | undefined },
): string {
  const { namespace, name, subresource } = target;
  if (!namespace && mapping.scope === 'Namespaced') {
    throw new TypeError(`${kindText(kind)} is namespaced: name the namespace of ${JSON.stringify(name)}`);
  }
  const path = `${collectionPath(kind, mapping, namespace)}/${segment('name', name)}`;
  return subresource === undefined ? path : `${path}/${segment('subresource', subresource)}`;
}

/**
 * One name as one segment of a path. What would lead to another path is refused, as the API server refuses it
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
