import { PROTOBUF } from '../protobuf/codec.ts';
import { SERVED_TYPES } from '../representation/media-type.ts';
import { StatusError } from '../status.ts';

const WATCHED_TYPES = [...SERVED_TYPES, 'application/json;stream=watch', `${PROTOBUF};stream=watch`];

/**
 * Checks the media types of a request for a built-in kind or a document, without their parameters. The router of a real
 * server (go-restful) does so before a handler runs, and does not know `application/*`.
 *
 * @throws {StatusError} 406
 */
export function requireAcceptable(accept: string | undefined, types: readonly string[] = SERVED_TYPES): void {
  if (!accept) return;
  const wanted = accept.split(',').map((range) => range.split(';', 1).join('').trim());
  if (wanted.some((type) => type === '*/*' || types.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`;
  throw new StatusError(406, 'NotAcceptable', message, {});
}

/** Like {@link requireAcceptable}, for the list or the watch of a collection. */
export function requireAcceptableList(accept: string | undefined): void {
  requireAcceptable(accept, WATCHED_TYPES);
}
