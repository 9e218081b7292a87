/** A regular expression that an API server does not support, or reads in another way. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError';

  readonly remedy: string;

  /** @param remedy the expression to write instead. */
  constructor(problem: string, remedy: string) {
    super(problem);
    this.remedy = remedy;
  }
}
