import type { ObjectMeta } from '@mcr/client';
import { badRequest, kindText } from '../status.ts';
import { isMap } from './atom.ts';

/** The body of an apply. Its fields are not checked yet, except its kind and version. */
export interface Configuration {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Partial<ObjectMeta> | null;
  readonly [field: string]: unknown;
}

interface KindVersion {
  readonly apiVersion: string;
  readonly kind: string;
}

/** @throws {StatusError} 400 if the body is not an object of this kind and version. */
export function configurationOf({ apiVersion, kind }: KindVersion, body: unknown): Configuration {
  // An empty body and `null` are objects without fields.
  const sent = body === undefined || body === null ? {} : body;
  if (!isMap(sent)) {
    const type = Array.isArray(sent) ? 'array' : typeof sent === 'boolean' ? 'bool' : typeof sent;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  }
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const [sentVersion, sentKind] = [text(sent['apiVersion']), text(sent['kind'])];
  if (sentVersion !== apiVersion || sentKind !== kind) {
    throw badRequest(`invalid object type: ${kindText(sentVersion, sentKind)}`);
  }
  // Kind and version are texts, as compared above.
  return sent as unknown as Configuration;
}

/** @throws {StatusError} 400 if a configuration contains the entries of managers, even an empty list. */
export function refuseManagedFields({ metadata }: Configuration): void {
  if (metadata?.managedFields) throw badRequest('metadata.managedFields must be nil');
}
