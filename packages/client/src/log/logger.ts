/** Structured values of a log line. They never contain a credential. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Receives log lines. The message is a fixed sentence, and the data is in the fields. An `Error` is in the field
 * `error`.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/** Logs nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
