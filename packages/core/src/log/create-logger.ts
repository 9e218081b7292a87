import { createRequire } from 'node:module';
import type { LogFields, Logger } from '@mcr/client';
import type { DestinationStream, Logger as PinoLogger, pino as Pino } from 'pino';
import { describeError } from './describe-error.ts';
import { prettyLine } from './pretty-line.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  /** What is less than this is not written. Default: `info`. */
  readonly level?: LogLevel;
  /** Where lines go. Default: the standard error stream. */
  readonly destination?: DestinationStream;
  /** One JSON object per line, or text for people. Default: `pretty` when the standard error stream is a terminal. */
  readonly format?: 'json' | 'pretty';
}

/**
 * A logger that writes structured lines, by pino. Errors are written as their message and those of their causes, at
 * level `debug` with their stacks.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', destination, format = process.stderr.isTTY ? 'pretty' : 'json' } = options;
  // Loaded here because importing this package has to be cheap for those who bring a logger of their own.
  const { pino } = createRequire(import.meta.url)('pino') as { pino: typeof Pino };
  const lines = destination ?? { write: (line: string) => void process.stderr.write(line) };
  return adapt(
    pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        messageKey: 'message',
        formatters: { level: (label) => ({ level: label }) },
        serializers: { error: (error: unknown) => describeError(error, { stacks: level === 'debug' }) },
      },
      format === 'json' ? lines : { write: (line) => lines.write(prettyLine(line)) },
    ),
  );
}

function adapt(logger: PinoLogger): Logger {
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
    child: (fields: LogFields) => adapt(logger.child(fields)),
  };
}
