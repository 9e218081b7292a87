import type { Logger, LogFields } from '@mcr/core';

/** A logger that keeps its lines: the level, the message and the fields. */
export class RecordingLogger implements Logger {
  readonly lines: string[];
  readonly #fields: LogFields;

  constructor(lines: string[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  /** Returns the messages of a level. */
  messages(level: 'debug' | 'info' | 'warn' | 'error'): string[] {
    return this.lines
      .filter((line) => line.startsWith(level))
      .map((line) =>
        line
          .split(' | ', 1)
          .join('')
          .slice(level.length + 1),
      );
  }

  #write(level: string, message: string, fields?: LogFields): void {
    const all = Object.entries({ ...this.#fields, ...fields });
    this.lines.push(`${level} ${message} | ${all.map(([name, value]) => `${name}=${String(value)}`).join(' ')}`);
  }
}
