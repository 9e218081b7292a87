import type { LogFields, Logger } from '@mcr/client';
import { parseOptions, shortened } from '@mcr/client';
import * as z from 'zod';
import { jsonLine } from './json-line.ts';
import { prettyLine } from './pretty-line.ts';
import { terminalText } from './terminal-text.ts';

/** Severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Receives each line, including its line break. For example, a writable stream. */
export interface LogDestination {
  write(line: string): void;
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** Lines below this level are not written. Default: `info`. */
  readonly level?: LogLevel;
  /** Receives the lines. Default: the standard error stream. */
  readonly destination?: LogDestination;
  /**
   * `json` writes one JSON object per line, `pretty` human-readable text. Default: the environment variable
   * `MCR_LOG_FORMAT`, else `pretty` if the standard error stream is a terminal, else `json`.
   */
  readonly format?: 'json' | 'pretty';
}

const FORMAT_VARIABLE = 'MCR_LOG_FORMAT';
/** Maximum size of a wrong value in an error, in bytes. */
const MAX_FOUND = 64;

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

const optionsSchema = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  format: z.enum(['json', 'pretty']).optional(),
  destination: z
    .custom((value) => typeof (Object(value) as { write?: unknown }).write === 'function', 'expected a stream')
    .optional(),
});

const standardError: LogDestination = { write: (line) => void process.stderr.write(line) };

/**
 * Returns a logger that writes structured lines. Errors are written with their names, messages and causes. Programming
 * errors (TypeError, ReferenceError, …) are written with their stacks. So are errors without their own name or code, in
 * lines of level `error`. Expected errors (`ApiError`, `ENOENT`, …) have no stack, unless the logger's level is
 * `debug`.
 *
 * @throws {TypeError} if an option or `MCR_LOG_FORMAT` is not valid.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  parseOptions('createLogger', optionsSchema, options);
  const { level = 'info', destination = standardError, format = defaultFormat() } = options;
  const write: WriteLine = (lineLevel, message, fields) => {
    const head = { level: lineLevel, time: new Date().toISOString() };
    // `head` comes first in the line, and fields of the same names do not replace it.
    const record = { ...head, ...fields, ...head, message };
    const stacks = level === 'debug' ? 'all' : lineLevel === 'error' ? 'unexpected' : 'panics';
    const line = terminalText(jsonLine(record, { stacks }));
    destination.write(format === 'json' ? `${line}\n` : prettyLine(line));
  };
  return loggerOf(new Set(LEVELS.slice(LEVELS.indexOf(level))), write, {});
}

/** A program whose output another one shows on a terminal is told so by the variable. */
function defaultFormat(): 'json' | 'pretty' {
  const { [FORMAT_VARIABLE]: format = '' } = process.env;
  if (format === 'json' || format === 'pretty') return format;
  if (format === '') return process.stderr.isTTY ? 'pretty' : 'json';
  throw new TypeError(
    `createLogger: environment variable ${FORMAT_VARIABLE}: expected "json" or "pretty", found ${JSON.stringify(shortened(format, MAX_FOUND))}`,
  );
}

type WriteLine = (level: LogLevel, message: string, fields: LogFields) => void;

function loggerOf(levels: ReadonlySet<LogLevel>, write: WriteLine, bound: LogFields): Logger {
  const log = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (levels.has(level)) write(level, message, { ...bound, ...fields });
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (fields) => loggerOf(levels, write, { ...bound, ...fields }),
  };
}
