import { shortened } from '../text/shortened.ts';

/** Maximum length of the error message in a warning, in characters. */
const MESSAGE_LENGTH = 200;

const reported = new Set<string>();

/**
 * Reports that maintenance of the process failed. No caller waits for it, and an unhandled rejection would end the
 * process. Node.js prints a warning for the first failure of each kind of work.
 */
export function backgroundFailure(work: string, error: unknown): void {
  if (reported.has(work)) return;
  reported.add(work);
  const message = error instanceof Error ? error.message : String(error);
  process.emitWarning(`${work} failed: ${shortened(message, MESSAGE_LENGTH)}`, 'McrWarning');
}
