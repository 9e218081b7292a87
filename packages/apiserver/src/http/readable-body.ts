import { DecodeError } from '../decode-error.ts';
import { requireExactIntegers } from '../schema/exact-integers.ts';
import { overflowingNumber, parseNumbers } from '../schema/number-texts.ts';
import { syntaxFault } from '../schema/json-fault.ts';
import { LONG_JSON, readLongJson } from '../schema/long-json.ts';
import { isTooDeep, TOO_DEEP } from '../schema/nesting.ts';
import type { StatusError } from '../status.ts';
import { badRequest } from '../status.ts';
import { inTurns, Turn } from '../turn.ts';
import type { ExpectedBody } from './received-request.ts';

/** Number of bytes of a body that an error shows. */
const SHOWN = 30;

/** A body is not JSON, or not an object. Messages follow Go's `encoding/json`. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';

  /** Returns the error for a text that has no kind and version. */
  static unparsed(why: string): UnreadableBody {
    return new UnreadableBody(`couldn't get version/kind; json parse error: ${why}`);
  }
}

/** Returns the error for a body that cannot be read as an object of a built-in kind. */
export function unrecognized(kind: string, { message }: Error, bytes: Buffer): StatusError {
  // The YAML reader of a real server names its own conversion, its decoder does not.
  const why = message.replace(/^error converting YAML to JSON: /, '');
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`);
}

function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const shown = bytes.subarray(0, SHOWN);
  const text = bytes.toString('latin1', 0, 1) === '{' ? shown.toString() : shown.toString('hex');
  return bytes.length > SHOWN ? `${text} ...` : text;
}

const IDENTITY = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/**
 * Checks what a real server reads first: the kind and the version. `null` is an object without fields.
 *
 * @throws {UnreadableBody}
 */
export function identified(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw UnreadableBody.unparsed(`json: cannot unmarshal ${goType(value)} into Go value of type ${IDENTITY}`);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const field of ['apiVersion', 'kind']) {
    const text = fields[field];
    if (text === undefined || text === null || typeof text === 'string') continue;
    throw UnreadableBody.unparsed(
      `json: cannot unmarshal ${goType(text)} into Go struct field .${field} of type string`,
    );
  }
  const { apiVersion } = fields;
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    throw new UnreadableBody(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return value;
}

/**
 * Checks that the body of a custom resource has a kind.
 *
 * @param expected kind that the body should have.
 * @throws {UnreadableBody}
 * @throws {StatusError} 400 if the request does not validate fields.
 */
export function withKind(value: unknown, text: string, expected?: ExpectedBody): unknown {
  const { kind } = value as { readonly kind?: unknown };
  if (kind) return value;
  const why = `Object 'Kind' is missing in '${text}'`;
  if (!expected?.isLenient) throw new UnreadableBody(why);
  const version = expected.apiVersion.split('/').at(-1) ?? '';
  throw new DecodeError({ kind: expected.kind, version }, why);
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * Checks that a custom resource has no number beyond those of a double.
 *
 * @param overflowing the first such number.
 * @throws {StatusError} 400
 */
export function requireFinite(overflowing: string | undefined, { kind, apiVersion }: ExpectedBody): void {
  if (overflowing === undefined) return;
  const version = apiVersion.split('/').at(-1) ?? '';
  const why = `json: cannot unmarshal number ${overflowing} into Go value of type float64`;
  throw new DecodeError({ kind, version }, why);
}

/** The value of a JSON body. */
export interface JsonBody {
  readonly value: unknown;
  /** Paths of its duplicate fields, if they were found already. */
  readonly duplicates: readonly string[] | undefined;
  /** First number beyond those of a double. */
  readonly overflowing: string | undefined;
}

/** Parses JSON. @throws {UnreadableBody} @throws {StatusError} 501 for an integer that would be rounded. */
export async function readJson(text: string): Promise<JsonBody> {
  const long = text.length < LONG_JSON ? undefined : await inTurns(readLongJson(text, new Turn()));
  if (!long) return { value: parseJson(text), duplicates: undefined, overflowing: overflowingNumber(text) };
  if (long.inexact) throw long.inexact;
  return long;
}

/** Like {@link readJson}, without pauses. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw UnreadableBody.unparsed(TOO_DEEP);
  let value: unknown;
  try {
    value = parseNumbers(text);
  } catch (error) {
    throw UnreadableBody.unparsed(error instanceof Error ? syntaxFault(text, error.message) : '');
  }
  requireExactIntegers(text);
  return value;
}
