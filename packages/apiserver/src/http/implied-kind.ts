import { DecodeError } from '../decode-error.ts';
import { scalarText } from '../resources/resource-type.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import type { Exchange } from './exchange.ts';

/** Kind of the body of a subresource. */
interface ImpliedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Reads the body of a subresource. Its path implies the kind and the version, so that the body may leave them out.
 *
 * @throws {StatusError} 400 if the body has another kind, and the errors of {@link Exchange.body}.
 */
export async function readImplied(exchange: Exchange, implied: ImpliedKind): Promise<JsonObject> {
  const body = (await exchange.body({ ...implied, builtIn: true })) as JsonObject;
  const apiVersion = scalarText(body['apiVersion']) || implied.apiVersion;
  const kind = scalarText(body['kind']) || implied.kind;
  if (kind === implied.kind) return { ...body, apiVersion, kind };
  const version = apiVersion.split('/').at(-1) ?? '';
  const [group = ''] = implied.apiVersion.split(/[./]/u);
  const wanted = `${implied.apiVersion.includes('/') ? group : 'core'}.${implied.kind}`;
  const why = `converting (${version}.${kind}) to (${wanted}): unknown conversion`;
  throw new DecodeError({ kind, version }, why, implied.kind);
}
