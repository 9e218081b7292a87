import type { LogFields, Logger } from '@mcr/client';

/** A logger that is created at its first use, because most reconciles log nothing. */
export class LazyLogger implements Logger {
  readonly #make: () => Logger;
  #made: Logger | undefined;

  constructor(make: () => Logger) {
    this.#make = make;
  }

  debug(message: string, fields?: LogFields): void {
    this.#logger.debug(message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#logger.info(message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#logger.warn(message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#logger.error(message, fields);
  }

  child(fields: LogFields): Logger {
    return this.#logger.child(fields);
  }

  get #logger(): Logger {
    return (this.#made ??= this.#make());
  }
}
