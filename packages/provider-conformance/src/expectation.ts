import { eventually } from '@mcr/core/testing';

/** What should be, and what an author whose provider does otherwise is to look at. */
export interface Expectation {
  readonly expected: string;
  readonly hint: string;
}

/** @param found what is there instead. */
export function failure({ expected, hint }: Expectation, found: string, cause?: unknown): Error {
  return new Error(`expected: ${expected}\nfound:    ${found}\nhint:     ${hint}`, { cause });
}

export interface Patience {
  /** Milliseconds. */
  readonly within: number;
  readonly signal: AbortSignal;
}

/**
 * Resolves when nothing is wrong any more.
 *
 * @param problem what is wrong, if something is.
 * @throws {Error} that tells the last problem, when there is one for too long.
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
    if (signal.aborted) throw failure({ expected, hint }, `the case's deadline has passed, and ${last}`, error);
    throw failure({ expected: `${expected}, within ${within} ms`, hint }, last, error);
  }
}
