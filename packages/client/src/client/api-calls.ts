import { orAborted } from '../clock/or-aborted.ts';
import { parseJson } from '../json/json.ts';
import { checkKind } from '../kinds/check-kind.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { collectionPath, objectPath } from '../discovery/resource-path.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';
import { foundText } from '../options/found-text.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { checkCallOptions, checkKey } from './call-arguments.ts';
import type { ApplyOptions, CallOptions, PatchType } from './client.ts';
import { readJson } from '../response/response-body.ts';
import { isStatus } from '../response/status.ts';
import { acceptOf, JSON_TYPE, objectOf, ofKind, PATCH_CONTENT_TYPES, queryText } from './wire-format.ts';

export type CallTarget = ObjectTarget | CollectionTarget;

/** An object, or one of its subresources. */
export interface ObjectTarget {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string;
}

/** All objects of a kind, in one namespace or in all namespaces. */
export interface CollectionTarget {
  readonly collection: true;
  readonly namespace?: string | undefined;
  /** Error message for a namespaced kind without a namespace. Default: all namespaces. */
  readonly namespaceMissing?: string;
}

export interface WriteRequest<T extends KubernetesObject> {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly kind: Kind<KubernetesObject>;
  readonly target: CallTarget;
  readonly body: string;
  /** Required for `PATCH`, ignored otherwise. */
  readonly patchType?: PatchType | 'apply';
  /** The kind of the object in the response. */
  readonly responseKind: Kind<T>;
}

const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch' } as const;

/** The requests that every client is built from. */
export class ApiCalls {
  readonly #transport: Transport;
  readonly #restMapper: RestMapper;

  constructor(transport: Transport, restMapper: RestMapper) {
    this.#transport = transport;
    this.#restMapper = restMapper;
  }

  /**
   * Returns the API path of `target`. Concurrent calls share one discovery; aborting `signal` ends only this call's
   * wait.
   */
  async path(
    kind: Kind<KubernetesObject>,
    target: CallTarget,
    { signal }: Pick<CallOptions, 'signal'>,
  ): Promise<string> {
    const isCollection = typeof target === 'object' && 'collection' in target;
    if (isCollection) checkKind('client call', kind);
    else checkKey(kind, target);
    const resolving = this.#restMapper.resolve(kind);
    const mapping = await (signal ? orAborted(resolving, signal) : resolving);
    if (!isCollection) return objectPath(kind, mapping, target);
    const { namespace, namespaceMissing } = target;
    if (namespaceMissing !== undefined && !namespace && mapping.scope === 'Namespaced') {
      throw new TypeError(`${kindText(kind)} is namespaced: ${namespaceMissing}`);
    }
    return collectionPath(kind, mapping, namespace);
  }

  send({ signal, timeout, retry }: CallOptions, request: TransportRequest): Promise<TransportResponse> {
    return this.#transport.send({
      ...request,
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeout }),
      ...(retry && { retry }),
    });
  }

  /**
   * Sends a request and returns the parsed JSON body of the response.
   *
   * @param subject names the request in errors, for example `get of v1 Pod`.
   * @throws {ApiError} if the server refuses the request, or its response is invalid.
   */
  async call(subject: string, options: CallOptions, request: TransportRequest): Promise<unknown> {
    return readJson(await this.send(options, request), subject);
  }

  async write<T extends KubernetesObject>(
    { method, kind, target, body, patchType, responseKind }: WriteRequest<T>,
    options: ApplyOptions = {},
  ): Promise<T> {
    checkCallOptions('write', kind, options);
    if (method === 'PATCH' && (patchType === undefined || !Object.hasOwn(PATCH_CONTENT_TYPES, patchType))) {
      throw new TypeError(
        `patch of ${kindText(kind)}: expected the type merge, json or strategic after the patch, found ${foundText(patchType)}`,
      );
    }
    const { fieldManager, force, dryRun, fieldValidation } = options;
    const path = await this.path(kind, target, options);
    const subject = `${patchType === 'apply' ? 'apply' : VERBS[method]} of ${kindText(kind)}`;
    const answer = await this.call(subject, options, {
      method,
      path: path + queryText({ fieldManager, force, dryRun: dryRun ? 'All' : undefined, fieldValidation }),
      headers: {
        accept: acceptOf(responseKind, 'PartialObjectMetadata'),
        'content-type': patchType ? PATCH_CONTENT_TYPES[patchType] : JSON_TYPE,
      },
      body,
    });
    // A server may answer with a Status instead of an object, for example to an eviction.
    return isStatus(answer) ? ofKind(responseKind, parseJson(body) as T) : objectOf(responseKind, subject, answer);
  }
}
