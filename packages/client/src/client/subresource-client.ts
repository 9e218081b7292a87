import { kindText, type Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { checkKind } from '../kinds/check-kind.ts';
import { foundText } from '../options/found-text.ts';
import type { ApiCalls, ObjectTarget, WriteRequest } from './api-calls.ts';
import { checkCallOptions } from './call-arguments.ts';
import type { StatusWriter, SubresourceClient } from './client.ts';
import { acceptOf, applyBodyOf, bodyOf, keyOf, objectOf, patchBodyOf, queryText } from './wire-format.ts';

/** Returns a client that writes the status of objects with `calls`. */
export function statusWriter(calls: ApiCalls): StatusWriter {
  const subresource = 'status';
  return {
    update: async (kind, object, options) => {
      const target = { ...keyOf(kind, object), subresource };
      return calls.write({ method: 'PUT', kind, target, body: bodyOf(kind, object), responseKind: kind }, options);
    },
    patch: async (kind, key, patch, patchType, options) => {
      const target = { ...key, subresource };
      const body = patchBodyOf(kind, patch);
      return calls.write({ method: 'PATCH', kind, target, body, patchType, responseKind: kind }, options);
    },
    apply: async (kind, configuration, options) => {
      const target = { ...keyOf(kind, configuration), subresource };
      const body = applyBodyOf(kind, configuration, options);
      return calls.write({ method: 'PATCH', kind, target, body, patchType: 'apply', responseKind: kind }, options);
    },
  };
}

/**
 * Returns a client that reads and writes a subresource with `calls`.
 *
 * @throws {TypeError} if `subresource` is not a name, or `responseKind` is not a kind.
 */
export function subresourceClient<Body extends KubernetesObject>(
  calls: ApiCalls,
  subresource: string,
  responseKind: Kind<Body>,
): SubresourceClient<Body> {
  if (typeof subresource !== 'string' || subresource === '') {
    const found = (subresource as unknown) === '' ? 'an empty string' : foundText(subresource);
    throw new TypeError(`subresource: expected its name, for example "scale", as the first argument, found ${found}`);
  }
  checkKind(`subresource(${JSON.stringify(subresource)}, kind)`, responseKind);
  const request = (
    method: WriteRequest<Body>['method'],
    kind: Kind<KubernetesObject>,
    key: ObjectTarget,
    body: string,
  ): WriteRequest<Body> => ({ method, kind, target: { ...key, subresource }, body, responseKind });

  return {
    async get(kind, key, options = {}) {
      checkCallOptions('get', kind, options);
      const path = await calls.path(kind, { ...key, subresource }, options);
      const request = `get of ${subresource} of ${kindText(kind)}`;
      const answer = await calls.call(request, options, {
        method: 'GET',
        path: path + queryText({ resourceVersion: options.resourceVersion }),
        headers: { accept: acceptOf(responseKind, 'PartialObjectMetadata') },
      });
      return objectOf(responseKind, request, answer) as DeepReadonly<Body>;
    },
    create: async (kind, key, body, options) =>
      calls.write(request('POST', kind, key, bodyOf(responseKind, body)), options),
    update: async (kind, key, body, options) =>
      calls.write(request('PUT', kind, key, bodyOf(responseKind, body)), options),
    patch: async (kind, key, patch, patchType, options) =>
      calls.write({ ...request('PATCH', kind, key, patchBodyOf(kind, patch)), patchType }, options),
    apply: async (kind, key, configuration, options) => {
      const body = applyBodyOf(responseKind, configuration, options);
      return calls.write({ ...request('PATCH', kind, key, body), patchType: 'apply' }, options);
    },
  };
}
