import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, present } from '../resources/resource-type.ts';
import { selects } from '../resources/validation/selector.ts';
import { kindText } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { objectKey } from '../storage/stored-object.ts';
import { inVersion } from '../verbs/version-conversion.ts';
import type { AdmissionCluster } from './matching.ts';
import { isEverything } from './matching.ts';
import type { Policy, PolicyBinding } from './policy.ts';

/** A policy or a binding cannot be used. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Returns the type of the parameters of a policy; `undefined` if it has none. @throws {ConfigurationError} */
export function paramType({ registry }: AdmissionCluster, { spec }: Policy): ResourceType | undefined {
  const { paramKind } = spec;
  if (!paramKind) return undefined;
  const { apiVersion, kind } = paramKind;
  const type = registry.all().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  if (type) return type;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${kindText(apiVersion, kind)}'`);
}

/**
 * Returns the parameters with which a binding evaluates its policy; `undefined` stands for none. (Upstream:
 * `CollectParams`.)
 *
 * @param namespace namespace of the request.
 * @throws {ConfigurationError} if they cannot be found.
 */
export async function paramsOf(
  { store }: AdmissionCluster,
  type: ResourceType | undefined,
  { paramRef }: PolicyBinding,
  namespace: string,
): Promise<readonly (ApiObject | undefined)[]> {
  if (!type || !paramRef) return [undefined];
  const { name, selector } = paramRef;
  const isNamespaced = type.scope === 'Namespaced';
  if (isNamespaced && paramRef.namespace === '' && namespace === '') {
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  if (!isNamespaced && paramRef.namespace !== '') {
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const place = isNamespaced ? paramRef.namespace || namespace : '';
  const objects = store.resource(type.storage);
  const one = name === '' ? undefined : objects.get(objectKey(place, name));
  const found: StoredObject[] =
    name === ''
      ? objects.list(place).filter(({ labels }) => isEverything(selector) || selects(selector, labels))
      : one
        ? [one]
        : [];
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return (await inVersion(type, found)).map((stored) => present(type, stored));
}
