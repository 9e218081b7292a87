import { eventually } from '@mcr/core/testing';

/** An expected behaviour, and a hint for the author of a provider that does not meet it. */
export interface Expectation {
  readonly expected: string;
  readonly hint: string;
}

/** @param found actual behaviour. */
export function failure({ expected, hint }: Expectation, found: string, cause?: unknown): Error {
  return new Error(`expected: ${expected}\nfound:    ${found}\nhint:     ${hint}`, { cause });
}

export interface Patience {
  /** In milliseconds. */
  readonly within: number;
  readonly signal: AbortSignal;
}

/**
 * Polls until `problem` returns `undefined`.
 *
 * @param problem returns the current problem, if any.
 * @throws {Error} with the last problem, if it persists for longer than `within`.
 */
export async function until(
  problem: () => string | undefined | Promise<string | undefined>,
  { expected, hint }: Expectation,
  { within, signal }: Patience,
): Promise<void> {
  let last = 'nothing yet';
  const isFine = async () => {
    const found = await problem();
    last = found ?? last;
    return found === undefined;
  };
  try {
    await eventually(isFine, { deadline: within, signal });
  } catch (error) {
    if (signal.aborted) throw failure({ expected, hint }, `the deadline of the case passed, and ${last}`, error);
    throw failure({ expected: `${expected}, within ${within} ms`, hint }, last, error);
  }
}
