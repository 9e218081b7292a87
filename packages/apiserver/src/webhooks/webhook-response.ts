import { inexactNumber, requireExactIntegers } from '../schema/exact-integers.ts';
import { isTooDeep } from '../schema/nesting.ts';
import { overflowingNumber } from '../schema/number-texts.ts';
import { identified, parseJson, UnreadableBody } from '../http/readable-body.ts';
import { parseYaml, YamlError } from '../http/yaml.ts';

/** Messages of client-go for a code without a Status in the body. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Longest part of a body in a message. */
const QUOTE_LIMIT = 1024;

/**
 * Returns the message of client-go for the response of a webhook that failed.
 *
 * @param contentType media type; only text is shown in messages.
 */
export function responseError(code: number, text: string, contentType: string): string {
  const status = parsed(text, false);
  if (isReview(status) && status.kind === 'Status' && 'message' in status && typeof status.message === 'string') {
    return status.message || 'unknown';
  }
  const quoted = (contentType.startsWith('text/') && text.trim().slice(0, QUOTE_LIMIT)) || 'unknown';
  if (code === 403 || code === 415) return quoted;
  const message = MESSAGES[code];
  if (message !== undefined) return message;
  if (code >= 500) {
    return `an error on the server (${JSON.stringify(quoted)}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${code} but did not return more information`;
}

/** Returns the object in the body of a response, in JSON or YAML, or the message of the decoder. */
export async function readResponse(text: string, kind: string): Promise<object | string> {
  try {
    // Only converted objects have integers that are kept. A real server ignores those of unknown fields.
    const isExact = kind === 'ConversionReview';
    const value = identified(parsed(text, isExact) ?? (await parseYaml(text)).value ?? parseJson(text));
    // Without a kind, the decoder takes the kind that it expects.
    if (!isReview(value) || !value.kind || value.kind === kind) return value as object;
    const version = JSON.stringify(value.apiVersion ?? '');
    return `no kind ${JSON.stringify(value.kind)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
  } catch (error) {
    if (error instanceof UnreadableBody) return error.message;
    if (error instanceof YamlError) return `couldn't get version/kind; json parse error: ${error.message}`;
    throw error;
  }
}

interface Review {
  readonly kind?: string;
  readonly apiVersion?: string;
}

function isReview(value: unknown): value is Review {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns `undefined` for a text that is not JSON or too deep, which the YAML parser then refuses.
 *
 * @param isExact whether integers that would be rounded are refused.
 */
function parsed(text: string, isExact: boolean): unknown {
  if (isTooDeep(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isExact) requireExactIntegers(text);
  if (isExact && overflowingNumber(text) !== undefined) throw inexactNumber();
  return value;
}
