import { DecodeError } from '../decode-error.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';
import type { StatusError } from '../status.ts';
import type { Kind } from './envelope.ts';
import { decodeObject, EnvelopeError } from './envelope.ts';
import { messages } from './messages.ts';

/** Maximum number of bytes of a malformed body that an error shows, as in kube-apiserver. */
const SUMMARY_LENGTH = 30;

/**
 * Decodes the body of a request.
 *
 * @param expected kind of the body, from the path of the request. An envelope without a kind gets it.
 * @throws {StatusError} 400 with the message of kube-apiserver; 415 for a custom resource.
 */
export function decodeBody(body: Buffer, expected?: Kind): object {
  if (expected && !messages.ofKind(expected.apiVersion, expected.kind)) {
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
  try {
    if (body.length === 0) throw new EnvelopeError('empty data');
    return decodeObject(body, expected);
  } catch (error) {
    throw error instanceof EnvelopeError ? malformed(body, error, expected) : error;
  }
}

function malformed(body: Buffer, { message, kind: found }: EnvelopeError, expected: Kind | undefined): StatusError {
  if (!expected) return badRequest(message);
  if (!found) {
    return badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${message} (${summary(body)})`,
    );
  }
  const version = found.apiVersion.slice(found.apiVersion.indexOf('/') + 1);
  return new DecodeError({ kind: found.kind, version }, message, expected.kind);
}

/** Returns a body as text if it looks like JSON, else in hexadecimal. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const shown = body.subarray(0, SUMMARY_LENGTH);
  const text = shown.toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > SUMMARY_LENGTH ? `${text} ...` : text;
}
