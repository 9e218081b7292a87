import type { FieldError } from '../status.ts';

/** The errors of a validation, each text once, and the number of checks that ran. (Upstream: `validate.Result`.) */
export class Findings {
  readonly #errors = new Map<string, FieldError>();
  #checks = 0;

  get errors(): FieldError[] {
    return [...this.#errors.values()];
  }

  get isValid(): boolean {
    return this.#errors.size === 0;
  }

  /** Number of checks: of alternatives that all fail, the one that passes most checks is reported. */
  get checks(): number {
    return this.#checks;
  }

  count(checks = 1): void {
    this.#checks += checks;
  }

  /** @param text message of the validator. An error with a text that was added before is dropped. */
  add(text: string, error: FieldError): void {
    if (!this.#errors.has(text)) this.#errors.set(text, error);
  }

  merge(other: Findings): void {
    for (const [text, error] of other.#errors) this.add(text, error);
    this.#checks += other.#checks;
  }
}
