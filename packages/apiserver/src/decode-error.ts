import { StatusError } from './status.ts';

/** 400: a body is not an object of a kind. (Upstream: `transformDecodeError`.) */
export class DecodeError extends StatusError {
  /** The part of the message that does not name the kind. */
  readonly why: string;

  /** @param expected kind that the body should have. Default: the kind that it has. */
  constructor({ kind, version }: { readonly kind: string; readonly version: string }, why: string, expected = kind) {
    super(400, 'BadRequest', `${kind} in version "${version}" cannot be handled as a ${expected}: ${why}`);
    this.why = why;
  }
}
