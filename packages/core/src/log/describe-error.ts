import { shortened } from '@mcr/client';
import { isPanic } from '../errors/panic.ts';
import { withoutCredentials } from './without-credentials.ts';

export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  /** Stack frames, one per line. */
  readonly stack?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/**
 * Which errors are described with their stacks.
 *
 * - `all`
 * - `unexpected`: panics, and errors without their own name or `code`. An error with one of these (`ApiError`,
 * `ENOENT`) is expected: its message says what happened. An error with a cause is treated like its cause.
 * - `panics`: programming errors, see `isPanic`
 */
export type Stacks = 'all' | 'unexpected' | 'panics';

/** Maximum depth of causes. Deeper ones are a mistake or a cycle. */
const MAX_DEPTH = 8;

/** Maximum number of errors of an aggregate that are written. */
const MAX_ERRORS = 10;

const MAX_FRAMES = 20;

/** Maximum length of a frame, in bytes. */
const MAX_FRAME = 300;

/**
 * Describes an error for a log line: its name, message and stack, and those of its causes. Other properties are
 * omitted, because they may contain a request with a credential. Text that looks like a credential is redacted.
 */
export function describeError(error: unknown, { stacks }: { readonly stacks: Stacks }): unknown {
  const describe = (value: unknown, depth: number): unknown => {
    if (!isError(value)) return messageOf(textOf(value));
    const { name, message, cause } = value;
    const deeper = depth < MAX_DEPTH;
    const stack = deservesStack(value, stacks) ? framesOf(value) : '';
    return {
      name: messageOf(textOf(name)),
      message: messageOf(textOf(message)),
      ...(stack && { stack }),
      ...(deeper && cause !== undefined && { cause: describe(cause, depth + 1) }),
      ...(deeper && isAggregate(value) && { errors: describeAll(value.errors, depth + 1) }),
    } satisfies ErrorDescription;
  };
  const describeAll = (errors: readonly unknown[], depth: number): unknown[] => {
    const described = errors.slice(0, MAX_ERRORS).map((each) => describe(each, depth));
    return errors.length > MAX_ERRORS ? [...described, `and ${errors.length - MAX_ERRORS} more`] : described;
  };
  return describe(error, 0);
}

/** Includes errors of other realms, such as that of a test runner. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function isAggregate(error: Error): error is AggregateError {
  return 'errors' in error && Array.isArray(error.errors);
}

function deservesStack(error: Error, stacks: Stacks): boolean {
  if (stacks === 'all' || isPanic(error)) return true;
  if (stacks === 'panics') return false;
  const { name, cause } = error;
  return name === 'Error' && cause === undefined && !('code' in error);
}

/** Only the frames, because the message may be long and is written separately. */
function framesOf({ stack }: Error): string {
  if (typeof stack !== 'string') return '';
  const frames = stack.split('\n', 1_000).filter((line) => /^\s+at /.test(line));
  return frames
    .slice(0, MAX_FRAMES)
    .map((frame) => shortened(withoutCredentials(frame.trim()), MAX_FRAME))
    .join('\n');
}

function messageOf(text: string): string {
  return shortened(withoutCredentials(text));
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
