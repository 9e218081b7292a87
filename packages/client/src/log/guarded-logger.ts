import { shortened } from '../text/shortened.ts';
import type { LogFields, Logger } from './logger.ts';

/** Maximum length of the error message in a warning, in characters. */
const MESSAGE_LENGTH = 200;

/**
 * Calls a function that reports a failure to the user's code. If it throws or rejects, Node.js prints a warning instead,
 * because the work that it reports on must continue.
 */
export function reportGuarded(report: () => unknown): void {
  try {
    const result = report();
    if (result instanceof Promise) result.catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.emitWarning(`a logger or failure handler threw: ${shortened(message, MESSAGE_LENGTH)}`, 'McrWarning');
}

/** Returns a logger whose methods do not throw. */
export function guardedLogger(logger: Logger): Logger {
  const guarded =
    (level: Exclude<keyof Logger, 'child'>) =>
    (message: string, fields?: LogFields): void =>
      reportGuarded(() => logger[level](message, fields));
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
    child: (fields) => guardedLogger(logger.child(fields)),
  };
}
